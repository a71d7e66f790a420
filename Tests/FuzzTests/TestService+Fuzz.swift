// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport

extension TestService {
    /// The decoded path that must follow the base URL: empty, or a slash and the path.
    var joinedPath: [UInt8] {
        guard !path.isEmpty else { return [] }
        let slash = path.utf8.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return slash + Array(path.utf8)
    }

    /// Describes the service in a failure report.
    var shown: String {
        """
        baseURL: \(baseURL.debugDescription)
        path: \(path.debugDescription)
        method: \(method.rawValue.debugDescription)
        parameters: \(parameters.debugDescription)
        parameterEncoding: \(parameterEncoding)
        headers: \(headers)
        body: \(body == nil ? "none" : "set")
        timeout: \(timeout.debugDescription)
        """
    }
}
