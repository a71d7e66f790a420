// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// An endpoint that says anything.
struct FuzzService: Service {
    var baseURL = "https://example.com"
    var path = ""
    var percentEncodedPath: String?
    var method = ServiceMethod.get
    var parameters: [String: Any]?
    var parameterEncoding = ServiceParameterEncoding()
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var timeout: TimeInterval?
    var secretNames: Set<String> { ["pin"] }

    /// What is to follow the base, decoded: nothing, or a slash and the path.
    var joinedPath: [UInt8] {
        let path = percentEncodedPath ?? path
        guard !path.isEmpty else { return [] }
        let slash = path.utf8.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return slash
            + (percentEncodedPath == nil ? Array(path.utf8) : FuzzPair.decoded(path.utf8) ?? [])
    }

    /// All of it, for who is to see what went wrong.
    var shown: String {
        """
        baseURL: \(baseURL.debugDescription)
        path: \(path.debugDescription)
        percentEncodedPath: \(percentEncodedPath.debugDescription)
        method: \(method.rawValue.debugDescription)
        parameters: \(parameters.debugDescription)
        parameterEncoding: \(parameterEncoding)
        headers: \(headers)
        body: \(body == nil ? "none" : "one")
        timeout: \(timeout.debugDescription)
        """
    }
}
