// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Finds the message of a server in its JSON, at most eight levels deep.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct ErrorTextFuzz {
    private static let names = [
        "detail", "message", "error_description", "status_message", "error", "errors", "title",
        "status",
    ]

    @Test func messagesAreFound() async throws {
        try await Fuzz.run("ErrorTextFuzz", count: 2_000) { _, random in
            var json: Any = "the message"
            for _ in 0..<random.number(8) {
                if random.oneIn(3) {
                    let others: [Any] = (0..<random.number(4)).map { _ in random.pick(["", " "]) }
                    json = others + [json]
                } else {
                    var members: [String: Any] = ["name": random.text()]
                    members[random.pick(Self.names)] = json
                    json = members
                }
            }
            let isInJSON = !(json is String)
            let body = try JSONEncoder().encode(FuzzJSON(json))
            try require(
                !isInJSON || Self.error(body).serverMessage != nil, "has no message",
                String(decoding: body, as: UTF8.self).debugDescription)
            // The same bytes, changed.
            var changed = body
            for _ in 0...random.number(3) {
                let start = random.number(changed.count + 1)
                let end = min(start + random.number(4), changed.count)
                changed.replaceSubrange(start..<end, with: random.bytes(4))
                changed = Data(changed)
            }
            _ = try Self.error(changed).serverMessage
        }
    }

    private static func error(_ body: Data) throws -> ServiceError {
        let headers = ["Content-Type": "application/json"]
        return .unacceptableStatus(
            try FuzzStub(status: 400, headers: headers, data: body).response())
    }
}
