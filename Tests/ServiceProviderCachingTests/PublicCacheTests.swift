// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import TestSupport
import Testing

/// The tests of http-tests/cache-tests that it requires of every cache, and some of its optional ones. The
/// article "Caching" lists the choices.
@Suite(.serialized, .opensFiles, .timeLimit) struct PublicCacheTests {
    @Test(arguments: PublicCacheCase.all)
    func theCacheDoesWhatThePublicSuiteWants(_ row: PublicCacheCase) async throws {
        let server = try LoopbackServer { Self.response(to: $0, in: row) }
        let clock = TestClock()
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(clock: clock.clock)])
        for (number, call) in row.calls.enumerated() {
            clock.advance(by: call.later)
            var service = server.service()
            service.method = ServiceMethod(rawValue: call.method)
            service.baseURL += "/path" + call.query
            service.headers = call.asking
            service.headers["Number"] = "\(number)"
            service.validStatusCodes = Set(200..<600)
            let response = try? await provider.response(service: service)
            #expect(response?.cacheOutcome == call.outcome, "call \(number)")
            for (name, value) in call.shows {
                #expect(response?.header(name) == value, "\(name) of call \(number)")
            }
        }
        let last = row.calls.last
        if last?.outcome == .fetched || last?.outcome == .revalidated {
            #expect(server.requests.last?.header("Number") == "\(row.calls.count - 1)")
        }
    }

    private static func response(
        to request: LoopbackRequest, in row: PublicCacheCase
    ) -> LoopbackResponse {
        let call = row.calls[request.header("Number").flatMap { Int($0) } ?? 0]
        var response = LoopbackResponse.statusCode(call.status)
        let validators = [request.header("If-None-Match"), request.header("If-Modified-Since")]
        let isConfirmed = call.fields.contains { validators.contains($0.value) }
        if isConfirmed {
            response = .statusCode(304)
        } else if call.status != 204 {
            response = .text("body", statusCode: call.status)
        }
        let hasDate = call.fields.contains { $0.name == "Date" }
        let date = hasDate ? [] : [("Date", "Fri, 15 Jan 2027 08:00:00 GMT")]
        for (name, value) in date + call.fields {
            response = response.header(name, value)
        }
        return call.closesConnection ? response.cut(.close, afterHeaderBytes: 0) : response
    }
}
