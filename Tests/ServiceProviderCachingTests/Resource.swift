// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport

/// A resource with versions, on a server that supports conditional requests.
final class Resource: Sendable {
    struct Version: Sendable {
        var tag: String? = "\"1\""
        var date: String?
        var text = "one"
        /// Sent with full responses and with 304s.
        var headers: [(String, String)] = []
    }

    /// Sent only with a 304. Replaces headers of the same name.
    let extra: [(String, String)]
    private let version: Locked<Version>

    init(_ version: Version = Version(), extra: [(String, String)] = []) {
        (self.version, self.extra) = (Locked(version), extra)
    }

    func change(_ change: (inout Version) -> Void) { version { change(&$0) } }

    func response(to request: LoopbackRequest) -> LoopbackResponse {
        let version = version { $0 }
        let isKnown =
            if let tag = request.header("If-None-Match") { tag == version.tag } else {
                request.header("If-Modified-Since").map { $0 == version.date } ?? false
            }
        var response = isKnown ? LoopbackResponse.statusCode(304) : .text(version.text)
        if let tag = version.tag { response = response.header("ETag", tag) }
        if let date = version.date { response = response.header("Last-Modified", date) }
        let extra = isKnown ? extra : []
        let others = version.headers.filter { name, _ in !extra.contains { $0.0 == name } }
        for (name, value) in others + extra { response = response.header(name, value) }
        return response
    }

    func server() throws -> LoopbackServer {
        try LoopbackServer { [self] in response(to: $0) }
    }
}

extension LoopbackServer {
    /// The `If-None-Match` header of each request that arrived.
    var tags: [String?] { requests.map { $0.header("If-None-Match") } }
}

extension ServiceProvider<TestService> {
    /// Returns the bodies of several calls, made one after another.
    func texts(of service: TestService, _ count: Int = 2) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<count {
            texts.append(String(decoding: try await load(service: service), as: UTF8.self))
        }
        return texts
    }
}
