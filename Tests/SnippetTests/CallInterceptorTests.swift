// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Adds a name to a header of the request, and to a header of the response.
private struct Mark: ServiceInterceptor {
    let name: String

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        let names = request.urlRequest.value(forHTTPHeaderField: "X-Names") ?? ""
        request.urlRequest.setValue(names + name, forHTTPHeaderField: "X-Names")
        let response = try await next(request)
        var headers = response.headers
        headers["X-Names"] = (headers["X-Names"] ?? "") + name
        return ServiceResponse(
            request: response.request, statusCode: response.statusCode, headers: headers,
            data: response.data)
    }
}

/// Sends each request three times.
private struct Thrice: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        _ = try await next(request)
        _ = try await next(request)
        return try await next(request)
    }
}

private struct Failing: ServiceInterceptor {
    struct Refusal: Error {}

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        throw Refusal()
    }
}

@Suite(.serialized, .opensFiles, .timeLimit) struct CallInterceptorTests {
    @Test func theFirstIsTheOutermost() async throws {
        let server = try LoopbackServer(responses: [.text("ok")])
        let endpoint = Endpoint(baseURL: server.baseURL)
        let marks = ["a", "b", "c"].map { Mark(name: $0) }
        let provider = ServiceProvider<Endpoint>(interceptors: marks)
        let response = try await provider.response(service: endpoint)
        #expect(server.requests.first?.header("X-Names") == "abc")
        #expect(response.headers["X-Names"] == "cba")
    }

    @Test func requestsCanBeSentAgain() async throws {
        let server = try LoopbackServer { .data($0.body) }
        var endpoint = Endpoint(baseURL: server.baseURL, method: .post)
        endpoint.body = .data(Data("body".utf8))
        let provider = ServiceProvider<Endpoint>(interceptors: [Thrice()])
        #expect(try await provider.load(service: endpoint) == Data("body".utf8))
        #expect(server.requests.map(\.bodySize) == [4, 4, 4])
    }

    @Test func otherRequestsCanBeSent() async throws {
        struct Elsewhere: ServiceInterceptor {
            let url: URL

            func intercept(
                _ request: ServiceRequest, next: @escaping ServiceNext
            ) async throws -> ServiceResponse {
                try await next(ServiceRequest(URLRequest(url: url)))
            }
        }
        let server = try LoopbackServer(responses: [.json("[1]")])
        let url = try #require(URL(string: server.baseURL + "/elsewhere"))
        let provider = ServiceProvider<Endpoint>(interceptors: [Elsewhere(url: url)])
        #expect(try await provider.load(service: Endpoint(), decodeType: [Int].self) == [1])
        #expect(server.requests.first?.path == "/elsewhere")
    }

    @Test func theirErrorsAreKept() async {
        let error = await Endpoint().failure(ServiceProvider(interceptors: [Failing()]))
        guard case .interceptor(is Failing.Refusal) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    /// Only an error of the body is about the body.
    @Test func theirErrorsOfEncodersAreKept() async {
        let endpoint = Endpoint { _ in _ = try JSONEncoder().encode(Double.nan) }
        guard case .interceptor(is EncodingError) = await endpoint.failure() else {
            Issue.record("It isn't an interceptor's error.")
            return
        }
    }

    @Test func theySeeTheStatusFirst() async throws {
        let provider = ServiceProvider<Endpoint>(interceptors: [
            Mark(name: "a"), Stub(statusCode: 500, headers: ["X-Names": "b"]),
        ])
        let error = await Endpoint().failure(provider)
        #expect(error?.response?.headers["X-Names"] == "ba")
    }

    @Test func headersThatTheySetAreChecked() async {
        struct Smuggler: ServiceInterceptor {
            func intercept(
                _ request: ServiceRequest, next: @escaping ServiceNext
            ) async throws -> ServiceResponse {
                var request = request
                request.urlRequest.setValue("1", forHTTPHeaderField: "X-A: 1\r\nX-B")
                return try await next(request)
            }
        }
        let provider = ServiceProvider<Endpoint>(interceptors: [Smuggler()])
        let error = await Endpoint(baseURL: "http://127.0.0.1:9").failure(provider)
        guard case .invalidRequest(.header, _) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}
