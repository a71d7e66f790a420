// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RealServerTests {
    /// The server receives what the service describes.
    @Suite(.serialized, .opensFiles, .timeLimit) struct Requests {
        @Test(arguments: Way.all, [ServiceMethod.get, .post, .put, .patch, .delete])
        func everyMethodArrives(way: Way, method: ServiceMethod) async throws {
            let call = TestService("/anything/a b/ü/c?d").with {
                $0.method = method
                $0.headers = ["X-Text": "a, b; c=\"d\""]
                $0.parameters = ["text": "x"]
            }
            let echo = try await way.provider().echo(call)
            #expect(echo.method == method.rawValue)
            #expect(echo.headers["X-Text"] == "a, b; c=\"d\"")
            let isQuery = method == .get || method == .delete
            #expect(echo.args == (isQuery ? ["text": "x"] : [:]))
            #expect(isQuery || echo.data == #"{"text":"x"}"#)
            #expect(
                echo.url.contains("/anything/a b/ü/c%3Fd") || echo.url.contains("/anything/a%20b/"))
        }

        @Test(arguments: Way.all) func responsesToHEADHaveNoBody(way: Way) async throws {
            let response = try await way.provider().response(
                service: TestService("/get").with { $0.method = .head })
            #expect(response.statusCode == 200 && response.data.isEmpty)
            #expect(response.header("Content-Type") == "application/json")
        }

        static let hostile = "a b&c=d+e é/?#%25;:@[]'\"\\ 日本 😀"

        @Test(arguments: Way.all) func queryParametersArrive(way: Way) async throws {
            let parameters: [String: Any] = [
                "text": Self.hostile, Self.hostile: "key", "n": -1.5, "list": [3, 1, 2],
                "flag": true,
                "inner": ["a": 1], "none": Int?.none as Any, "empty": "",
            ]
            let call = TestService("/anything").with {
                $0.parameters = parameters
                $0.baseURL += "?own=1"
            }
            let echo = try await way.provider().echo(call)
            #expect(
                echo.args == [
                    "text": .init(stringLiteral: Self.hostile), Self.hostile: "key", "n": "-1.5",
                    "list[]": ["3", "1", "2"], "flag": "true", "inner[a]": "1", "empty": "",
                    "own": "1",
                ])
        }

        @Test(arguments: Way.all) func formsArrive(way: Way) async throws {
            let call = TestService("/post").with {
                $0.method = .post
                $0.parameters = ["q": "1"]
                $0.body = .form(["text": Self.hostile, "list": ["a", "b"]])
            }
            let echo = try await way.provider().echo(call)
            #expect(echo.args == ["q": "1"])
            #expect(
                echo.form == ["text": .init(stringLiteral: Self.hostile), "list[]": ["a", "b"]])
        }

        @Test(arguments: Way.all) func jsonBodiesArrive(way: Way) async throws {
            struct Order: Codable, Equatable { var ids: [Int], note: String, price: Double }
            let order = Order(ids: [1, 2], note: Self.hostile, price: 9.5)
            let call = TestService("/anything").with {
                $0.method = .put
                $0.body = .json(order)
            }
            let provider = try way.provider().decoding(at: "json")
            #expect(try await provider.load(service: call, decodeType: Order.self) == order)
        }
    }
}
