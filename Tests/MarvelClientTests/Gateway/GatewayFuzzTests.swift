// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// The mock server answers any request target with JSON.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct GatewayFuzzTests {
    private static let pieces = [
        "/", "//", "?", "&", "=", "#", "%", "%2", "%zz", "%00", "%FF", "%C3%A9", "+", "-", ",",
        "é", "\u{301}", "👩‍👩‍👧", "\r\n", "\0", "\"", "\\", " ", "http://", "https://x",
        "/v1/public/characters",
        "/1009610", "name", "name=", "nameStartsWith=", "modifiedSince=", "orderBy=", "limit=",
        "offset=", "comics=", "events=", "-modified", "Sp", "2014-04-29", "-0001-11-30",
        "T14:18:17-0400", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "0", "1", "100", "101", "1e9", "ts=", "apikey=", "hash=", "apikey=1234&",
    ]

    @Test func randomTargetsGetAJSONBody() async {
        var random = SeededGenerator(state: 2026)
        var seen: [Int: Int] = [:]
        for round in 0..<20_000 {
            // Lets other tests run: Swift's tasks share only a few threads.
            if round % 100 == 0 { await Task.yield() }
            var target = ""
            switch Int.random(in: 0..<4, using: &random) {
            case 0: break
            case 1: target = "/v1/public/characters?"
            case 2: target = "/v1/public/characters?\(GatewayFixture.credentials)&limit=1&"
            default: target = "/v1/public/characters/"
            }
            for _ in 0..<Int.random(in: 0..<10, using: &random) {
                target += Self.pieces.randomElement(using: &random) ?? ""
            }
            if Bool.random(using: &random) { target += "?\(GatewayFixture.credentials)" }
            let answer = GatewayFixture.gateway.answer(method: "GET", target: target)
            seen[answer.status, default: 0] += 1
            let body = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
            #expect(body?["code"] != nil, "\(target.debugDescription)")
        }
        #expect(Set(seen.keys) == [200, 401, 404, 409])
    }

    @Test func randomBytesGetAnExpectedStatus() async {
        var random = SeededGenerator(state: 1321)
        for round in 0..<5_000 {
            if round % 100 == 0 { await Task.yield() }
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let noise = String(decoding: bytes, as: UTF8.self)
            _ = GatewayFixture.gateway.answer(method: noise, target: noise)
            let status = GatewayFixture.get("characters", "name=\(noise)").status
            #expect(status == 200 || status == 409)
            #expect([400, 404, 409, 200].contains(GatewayFixture.get(noise).status))
        }
    }
}
