// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RealServerTests {
    @Suite(.serialized, .opensFiles, .timeLimit) struct Responses {
        @Test(
            arguments: Way.all,
            [
                200, 201, 202, 203, 204, 205, 206, 226, 300, 304, 400, 401, 402, 403, 404, 405, 406,
                408,
                409, 410, 411, 412, 413, 415, 416, 418, 422, 423, 429, 431, 451, 499, 500, 501, 502,
                503,
                504, 505, 511, 599,
            ]) func everyStatusCodeIsHandled(way: Way, status: Int) async throws
        {
            let call = TestService("/status/\(status)")
            let provider = try way.provider()
            let listed = call.with { $0.validStatusCodes = [status] }
            #expect(try await provider.response(service: listed).statusCode == status)
            if (200..<300).contains(status) {
                #expect(try await provider.response(service: call).statusCode == status)
            } else {
                let error = try await provider.failure(of: call)
                guard case .unacceptableStatus(let response) = error else {
                    throw error
                }
                #expect(response.statusCode == status)
            }
        }

        @Test(arguments: Way.all) func textCompressedByNginxIsDecoded(way: Way) async throws {
            let call = TestService("/lines.txt").with { $0.baseURL = Servers.nginx }
            let response = try await way.provider().response(service: call)
            #expect(response.text == (1...2000).map { "line \($0)\n" }.joined())
        }

        @Test(arguments: Way.all) func conditionalRequestsUseTheCache(way: Way) async throws {
            let cached = TestService("/cache").with {
                $0.headers = ["If-None-Match": "x"]
                $0.validStatusCodes = [304]
            }
            #expect(try await way.provider().response(service: cached).data.isEmpty)

            let seen = Seen()
            let provider = try way.provider(ServiceCache(), seen)
            let call = TestService("/etag/version-1")
            let first = try await provider.load(service: call)
            let second = try await provider.response(service: call)
            #expect(second.statusCode == 200 && second.data == first && !first.isEmpty)
            #expect(seen.all == [200, 304])
        }

        @Test(arguments: Way.all) func pagesFollowTheirLinks(way: Way) async throws {
            let first = TestService("/page1").with { $0.baseURL = Servers.nginx }
            let pages = try way.provider().pages(service: first, decodeType: [Int].self) {
                _, response in
                try response.link(rel: "next").map { url in first.with { $0.path = url.path } }
            }
            var all: [[Int]] = []
            for try await page in pages { all.append(page) }
            #expect(all == [[1], [2], [3]])
        }

        @Test(arguments: Way.all) func callsToABusyServerAreRetried(way: Way) async throws {
            let seen = Seen()
            let retry = ServiceRetry(attempts: 10)
            let provider = try way.provider(retry, seen)
            // nginx allows two requests per second, and responds to the others with 503.
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        let call = TestService("/busy").with {
                            $0.baseURL = Servers.nginx
                            $0.parameters = ["who": "\(way)"]
                        }
                        return try await provider.load(service: call)
                    }
                }
                for try await data in group { #expect(data == Data("[1]\n".utf8)) }
            }
            #expect(seen.all.contains(503))
            #expect(seen.all.count { $0 == 200 } == 3)
        }
    }
}
