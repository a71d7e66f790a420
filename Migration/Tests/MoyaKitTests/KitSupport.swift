// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport

/// The transports that the kits' tests use.
let wires = TransportUnderTest.allCases.filter { $0 != .callersSession }

extension LoopbackRequest {
    /// The first line without the version.
    var line: String { "\(method) \(target)" }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Bodies that no model fits. Each has a secret.
enum HostileBody: String, CaseIterable {
    case text, quotes, escapes, lists, objects, unclosedLists

    var data: Data {
        func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }
        let text =
            switch self {
            case .text: times(megabyte / 6, "canary")
            case .quotes: "canary" + times(megabyte, "\"")
            case .escapes: "\"canary" + times(megabyte / 6, "\\u0041")
            case .lists: times(10_000, "[") + "\"canary\"" + times(10_000, "]")
            case .objects: times(10_000, #"{"a":"#) + "\"canary\"" + times(10_000, "}")
            case .unclosedLists: "[\"canary\"," + times(megabyte, "[")
            }
        return Data(text.utf8)
    }
}

/// Everything that shows an error.
func texts(of error: some Error) -> String {
    var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription)"
    dump(error, to: &text)
    return text
}

/// Responds with 300,000 header fields. One of them has 1 MB.
struct ManyHeaders: ServiceTransport {
    private let status: Int
    private let headers: [String: String]

    init(status: Int = 200) {
        let fields = (1..<300_000).map { ("X-\($0)", "canary") }
        let long = ("X-Long", String(repeating: "a, ", count: megabyte / 3))
        (self.status, headers) = (status, Dictionary(fields + [long]) { $1 })
    }

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        ServiceResponse(
            request: request, statusCode: status, headers: headers, data: Data("{}".utf8))
    }
}
