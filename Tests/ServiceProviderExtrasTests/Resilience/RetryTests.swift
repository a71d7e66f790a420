// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Which requests are retried, and how often.
@Suite(.serialized, .opensFiles, .timeLimit) struct RetryTests {
    /// Skips all waits.
    private let time = TestClock(jumps: true)

    private func provider(
        _ change: (inout ServiceRetry) -> Void = { _ in }, with inner: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        var retry = ServiceRetry(clock: time.clock, random: { $0.upperBound })
        change(&retry)
        return ServiceProvider(interceptors: [retry] + inner)
    }

    private func failing(_ code: URLError.Code) -> Intercept {
        Intercept { _, _ in throw URLError(code) }
    }

    @Test(.row("T6", "C14"), arguments: [408, 429, 500, 502, 503, 504])
    func temporaryStatusCodesAreRetried(_ status: Int) async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(status), .statusCode(status), .text("good"),
        ])
        let service = server.service("/call")
        #expect(try await provider().load(service: service) == Data("good".utf8))
        #expect(server.requests.count == 3)
        #expect(time.waits == [0.5, 1])
    }

    @Test func interceptorsAndTheResponseKnowTheAttempt() async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(503), .statusCode(503), .text("good"),
        ])
        let seen = Locked<[Int]>([])
        let watching = Intercept { request, next in
            seen { $0.append(request.attempt) }
            return try await next(request)
        }
        let service = server.service("/call")
        let response = try await provider(with: watching).response(service: service)
        #expect(seen { $0 } == [1, 2, 3])
        #expect(response.request.attempt == 3)
        #expect(try service.request().attempt == 1)
    }

    /// URLSession fails with such an error when an app returns from the background.
    @Test func errorsOfTheSystemAreRetried() async throws {
        let retry = ServiceRetry(clock: time.clock)
        let provider = ServiceProvider<TestService>(
            transport: URLSessionTransport(configuration: FailingProtocol.configuration),
            interceptors: [retry])
        let url = "http://failing.invalid/NSPOSIXErrorDomain/53"
        let error = try await provider.failure(of: TestService(baseURL: url))
        #expect(error.urlErrorCode == .networkConnectionLost)
        #expect(time.waits.count == 2)
    }

    @Test(arguments: [200, 204, 304, 400, 401, 403, 404, 409, 421, 422, 501, 505])
    func otherStatusCodesAreNotRetried(_ status: Int) async throws {
        let server = try LoopbackServer(responses: [.statusCode(status), .statusCode(status)])
        #expect(await provider().end(of: server.service("/call")) == "\(status)")
        #expect(server.requests.count == 1)
    }

    /// Another origin doesn't get the key, so it could accept a payment twice.
    @Test(.row("T14")) func aRequestThatLosesItsKeyIsNotRedirected() async throws {
        let other = try LoopbackServer { _ in .statusCode(503) }
        let server = try LoopbackServer { _ in
            .redirect(to: "\(other.baseURL)/pay", statusCode: 307)
        }
        var service = server.service("/pay", method: .post)
        service.headers = ["Idempotency-Key": "1"]
        #expect(await provider().end(of: service) == "307")
        #expect(other.requests.isEmpty)
    }

    @Test func aRequestWhoseHandlerRemovesTheKeyIsNotRedirected() async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/pay" else { return .statusCode(503) }
            return .redirect(to: "/paid", statusCode: 307)
        }
        var service = server.service("/pay", method: .post)
        service.headers = ["Idempotency-Key": "1"]
        service.change = { request in
            request.onRedirect = { next, _, _ in
                var changed = next
                changed.urlRequest.setValue(nil, forHTTPHeaderField: "Idempotency-Key")
                return changed
            }
        }
        #expect(await provider().end(of: service) == "307")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [(1, 1), (2, 2), (5, 5), (0, 1), (-7, 1), (.min, 1)])
    func attemptsAreCounted(_ attempts: Int, _ sent: Int) async throws {
        let server = try LoopbackServer { _ in .json(#"{"message": "busy"}"#, statusCode: 503) }
        let provider = provider { $0.attempts = attempts }
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: server.service("/call"))
        }
        let text = transcribed(try #require(error).description, as: .error)
        #expect(text == "The server answered 503 for 'GET /call'.")
        #expect(server.requests.count == sent)
    }

    @Test func theRetriedStatusCodesCanBeChosen() async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(404), .statusCode(503), .statusCode(200),
        ])
        let provider = provider { $0.statusCodes = [404] }
        #expect(await provider.end(of: server.service("/call")) == "503")
        #expect(server.requests.count == 2)
    }

    /// The service counts 503 as a success.
    @Test func aValidStatusIsNotRetried() async throws {
        let server = try LoopbackServer(responses: [.statusCode(503), .statusCode(200)])
        var service = server.service("/call")
        service.validStatusCodes = [200, 503]
        #expect(await provider().end(of: service) == "503")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"])
    func idempotentMethodsAreRetriedByDefault(_ method: String) async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(503), .statusCode(200), .statusCode(503),
        ])
        var service = TestService(baseURL: server.baseURL, method: .init(rawValue: method))
        #expect(await provider().end(of: service) == "200")
        service.isRepeatable = false
        #expect(await provider().end(of: service) == "503")
        #expect(server.requests.map(\.method) == [method, method, method])
    }

    @Test(arguments: ["POST", "PATCH", "PURGE"])
    func otherMethodsAreRetriedOnlyIfTheServiceIsRepeatable(_ method: String) async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(503), .statusCode(503), .statusCode(200),
        ])
        var service = TestService(baseURL: server.baseURL, method: .init(rawValue: method))
        #expect(await provider().end(of: service) == "503")
        service.isRepeatable = true
        #expect(await provider().end(of: service) == "200")
        #expect(server.requests.count == 3)
    }

    /// The service's `isRepeatable` takes precedence over `methods`, even if it equals the default.
    @Test(arguments: [(ServiceMethod.get, true, 3), (.post, false, 1)])
    func isRepeatableOverridesTheMethods(
        _ method: ServiceMethod, _ isRepeatable: Bool, _ sent: Int
    ) async throws {
        let server = try LoopbackServer { _ in .statusCode(503) }
        var service = TestService(
            baseURL: server.baseURL, method: method, headers: ["Idempotency-Key": "1"])
        service.isRepeatable = isRepeatable
        #expect(await provider { $0.methods = [.post] }.end(of: service) == "503")
        #expect(server.requests.count == sent)
    }

    @Test func theRetriedMethodsCanBeChosen() async throws {
        let server = try LoopbackServer { _ in .statusCode(503) }
        let provider = provider { $0.methods = [.post] }
        var service = TestService(baseURL: server.baseURL, method: .post)
        #expect(await provider.end(of: service) == "503")
        #expect(server.requests.count == 3)
        service.method = .get
        #expect(await provider.end(of: service) == "503")
        #expect(server.requests.count == 4)
    }

    /// A service is read once per call, so all attempts have the same key.
    struct Payment: Service, Sendable {
        var baseURL: String
        var path: String { "/payments" }
        var method: ServiceMethod { .post }
        var headers: [String: String] { ["idempotency-key": UUID().uuidString] }
        var parameters: [String: Any]? { ["sum": 7] }
    }

    @Test(.row("T4")) func allAttemptsOfAPaymentHaveTheSameKey() async throws {
        let server = try LoopbackServer { _ in .text("x").cut(.close, afterHeaderBytes: 0) }
        let retry = ServiceRetry(errorCodes: [.networkConnectionLost], clock: time.clock)
        let lost = Intercept { request, next in
            do { return try await next(request) } catch { throw URLError(.networkConnectionLost) }
        }
        let provider = ServiceProvider<Payment>(interceptors: [retry, lost])
        for call in 1...2 {
            await #expect(throws: ServiceError.self) {
                try await provider.load(service: Payment(baseURL: server.baseURL))
            }
            #expect(server.requests.count == call * 3)
            #expect(Set(server.requests.map { $0.header("Idempotency-Key") }).count == call)
            #expect(Set(server.requests.map(\.body)) == [Data(#"{"sum":7}"#.utf8)])
        }
    }

    @Test(arguments: [
        URLError.timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
        .dnsLookupFailed, .notConnectedToInternet, .unknown,
    ])
    func temporaryErrorsAreRetried(_ code: URLError.Code) async throws {
        _ = await provider(with: failing(code)).end(of: TestService())
        #expect(time.waits == [0.5, 1])
    }

    @Test(
        arguments: [
            URLError(.unsupportedURL), URLError(.cancelled),
            URLError(.serverCertificateUntrusted),
            CancellationError(), ServiceError.invalidRequest(.header, reason: "no"),
            ServiceError.cancelled, TookTooLong(),
        ] as [any Error])
    func otherErrorsAreNotRetried(_ error: any Error) async throws {
        let sent = Locked(0)
        let throwing = Intercept { _, _ in
            sent { $0 += 1 }
            throw error
        }
        _ = await provider(with: throwing).end(of: TestService())
        #expect(sent { $0 } == 1)
        #expect(time.waits.isEmpty)
    }

    @Test func anUnreachableServerIsRetried() async throws {
        let end = await provider().end(of: TestService(baseURL: "http://127.0.0.1:1"))
        #expect(end.contains("URLError -1004, http://127.0.0.1:1)"))
        #expect(time.waits == [0.5, 1])
    }

    /// The platform reports a broken connection as one of those errors.
    @Test(arguments: TransportUnderTest.allCases)
    func aBrokenConnectionIsRetried(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .text("x").cut(.reset, afterHeaderBytes: 0),
            .text("hello").cut(.close, afterBodyBytes: 3),
            .text("good"),
        ])
        let retry = ServiceRetry(clock: time.clock)
        let provider = ServiceProvider<TestService>(
            transport: transport.make(), interceptors: [retry])
        let service = server.service("/call")
        #expect(try await provider.load(service: service) == Data("good".utf8))
    }

    @Test func decodingErrorsAreNotRetried() async throws {
        let server = try LoopbackServer(responses: [.json("{"), .json("7")])
        await #expect(throws: ServiceError.self) {
            try await provider().load(
                service: server.service("/call"), decodeType: Int.self)
        }
        #expect(server.requests.count == 1)
    }
}
