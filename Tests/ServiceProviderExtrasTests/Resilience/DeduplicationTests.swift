// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderDiagnostics
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct DeduplicationTests {
    let gate = Gate()
    let deduplication = ServiceDeduplication()

    /// Always sends the same response, but only after the gate has opened.
    private func provider(
        _ interceptors: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        let stubs = ServiceStubs { [gate] request in
            await gate.pass()
            return .json(#"{"a": 1, "b": 2, "status": "\#(Task.isCancelled)"}"#)
        }
        return ServiceProvider(stubs: stubs, interceptors: interceptors)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func fiftyCallersSendOneRequest() async throws {
        let isHeld = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { request in
            guard request.path == "/there" else { return .redirect(to: "/there") }
            isHeld.waitForAMinute()
            return .data(noise(300_000)).header("X-Count", "1")
        }
        let provider = ServiceProvider<TestService>(interceptors: [deduplication])
        let service = server.service()
        let callers = WatchedExecutor()
        let calls = (0..<50).map { _ in
            Task(executorPreference: callers) { try await provider.response(for: service) }
        }
        await callers.idle()
        isHeld.signal()
        var places: Set<UnsafeRawPointer?> = []
        for call in calls {
            let response = try await call.value
            #expect(response.data == noise(300_000))
            #expect(response.header("X-Count") == "1")
            #expect(response.request.urlRequest.url?.path == "/there")
            response.data.withUnsafeBytes { bytes in _ = places.insert(bytes.baseAddress) }
        }
        // All responses share the same bytes, without a copy.
        #expect(places.count == 1)
        #expect(server.requests.map(\.path) == ["/start", "/there"])

        // Nothing is kept: the next call is sent.
        isHeld.signal()
        _ = try await provider.load(service: service)
        #expect(server.requests.count == 4)
    }

    struct Variant: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var service = TestService()
        var other = TestService()
        var change: @Sendable (inout ServiceRequest) -> Void = { _ in }
    }

    static let variants = [
        Variant(
            testDescription: "path",
            service: TestService(baseURL: "https://example.com", path: "/call/")),
        Variant(testDescription: "query", service: TestService(parameters: ["a": "1"])),
        Variant(testDescription: "host", service: TestService(baseURL: "http://other.invalid")),
        Variant(
            testDescription: "credential",
            service: TestService(headers: ["Authorization": "Bearer \(canary("other"))"])),
        Variant(testDescription: "header", service: TestService(headers: ["Accept": "text/x"])),
        Variant(
            testDescription: "bytes", service: TestService(headers: ["X-User": "Jose\u{301}"]),
            other: TestService(headers: ["X-User": "Jos\u{E9}"])),
        Variant(testDescription: "status", service: TestService(validStatusCodes: [200])),
        Variant(testDescription: "HEAD", service: TestService(method: .head)),
        Variant(testDescription: "secrets", service: TestService(secretNames: ["pin"])),
        Variant(testDescription: "sample", service: TestService(sampleData: Data("other".utf8))),
        Variant(testDescription: "timeout") { $0.urlRequest.timeoutInterval = 7 },
        Variant(testDescription: "cache") { $0.urlRequest.cachePolicy = .reloadIgnoringCacheData },
    ]

    @Test(arguments: variants)
    func differentRequestsAreNotMerged(_ variant: Variant) async throws {
        try await expectTwo(variant.other, variant) { _ in }
    }

    /// Requests that aren't merged, not even with an equal one.
    static let neverMerged = [
        Variant(testDescription: "POST", service: TestService(method: .post)),
        Variant(testDescription: "PUT", service: TestService(method: .put, body: .data(Data([1])))),
        Variant(testDescription: "DELETE", service: TestService(method: .delete)),
        Variant(testDescription: "progress") { $0.reportProgress { _ in } },
        Variant(testDescription: "delivery") { $0.bodySink = Sink() },
        Variant(testDescription: "redirects") { $0.limitRedirects(to: 0) },
    ]

    final class Sink: ServiceBodySink {
        var destination: ServiceBodyDestination { .sink }
        func didSend(_ sent: Int64) {}
        func begin(_: ServiceResponse, control: ServiceTransferControl) throws {}
        func receive(_: Data) throws {}
        func end(_: (any Error)?) {}
    }

    @Test(arguments: neverMerged)
    func unsafeAndObservedRequestsAreNeverMerged(_ variant: Variant) async throws {
        try await expectTwo(variant.service, variant, variant.change)
    }

    /// Expects that both requests are sent before either gets a response.
    private func expectTwo(
        _ service: TestService, _ variant: Variant,
        _ change: @escaping @Sendable (inout ServiceRequest) -> Void
    ) async throws {
        let one = provider(Intercept.changing(change), deduplication)
        let other = provider(Intercept.changing(variant.change), deduplication)
        let first = Task { try await one.response(for: service) }
        let second = Task { try await other.response(for: variant.service) }
        defer { gate.open() }
        try await within(seconds: 300) { [gate] in await gate.arrivals(reach: 2) }
        gate.open()
        #expect(try await first.value.request.urlRequest.httpMethod == service.method.rawValue)
        #expect(try await second.value.statusCode == 200)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func eachCallerDecodesItsOwnValue() async throws {
        let (all, gate) = (provider(deduplication), gate)
        let callers = WatchedExecutor()
        let calls = ["a", "b"].map { key in
            Task(executorPreference: callers) {
                try await all.decoding(at: key).load(service: TestService(), decodeType: Int.self)
            }
        }
        await callers.idle()
        gate.open()
        #expect(try await calls[0].value == 1)
        #expect(try await calls[1].value == 2)
        #expect(gate.arrivals == 1)
    }

    /// An outer log doesn't prevent merging.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func loggedRequestsAreMerged() async throws {
        let provider = provider(deduplication).adding(ServiceLog { transcribed($0, as: .log) })
        let callers = WatchedExecutor()
        let calls = (0..<2).map { _ in
            Task(executorPreference: callers) { try await provider.load(service: TestService()) }
        }
        await callers.idle()
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(gate.arrivals == 1)
    }

    /// An inner interceptor adds credentials under names that only it knows.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: [true, false])
    func requestsWithInnerCredentialsAreNotMerged(_ isHeader: Bool) async throws {
        let secrets = Locked(["canary-7f3a-one", "canary-7f3a-two"])
        let value: ServiceAuthorization.Value = { secrets { $0.popLast() } }
        let door =
            isHeader
            ? ServiceAuthorization.header("X-Door", value)
            : ServiceAuthorization.query("door", value)
        let logs = Locked<[String]>([])
        let provider = provider(deduplication, door).adding(
            ServiceLog(.headers) { text in logs { $0.append(transcribed(text, as: .log)) } })
        let callers = WatchedExecutor()
        let calls = (0..<2).map { _ in
            Task(executorPreference: callers) { try await provider.load(service: TestService()) }
        }
        await callers.idle()
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(gate.arrivals == 2)
        #expect(logs { $0.count } == 2)
        #expect(logs { $0.allSatisfy { !$0.contains("canary") } })
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func allCallersGetTheError() async throws {
        let stubs = ServiceStubs { [gate] _ in
            await gate.pass()
            return .error(URLError(.networkConnectionLost))
        }
        let provider = ServiceProvider<TestService>(
            stubs: stubs, interceptors: [deduplication])
        let callers = WatchedExecutor()
        let calls = (0..<5).map { _ in
            Task(executorPreference: callers) {
                try await failure { try await provider.load(service: TestService()) }
            }
        }
        await callers.idle()
        gate.open()
        for call in calls {
            #expect(try await call.value.urlErrorCode == .networkConnectionLost)
        }
        #expect(stubs.requests.count == 1)
    }

    @TaskLocal static var trace = "none"

    @Test func theRequestRunsInTheContextOfTheFirstCaller() async throws {
        let seen = Locked<[String]>([])
        let looking = Intercept { request, next in
            seen { $0.append(Self.trace) }
            return try await next(request)
        }
        gate.open()
        let provider = provider(deduplication, looking)
        try await Self.$trace.withValue("first") {
            _ = try await provider.load(service: TestService())
        }
        #expect(seen { $0 } == ["first"])
    }

    /// One instance is shared by several providers, and wrongly placed outside the interceptor that
    /// adds credentials.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func innerCredentialsOfDifferentProvidersAreNotMerged() async throws {
        let stubs = ServiceStubs { [gate] request in
            await gate.pass()
            return .json(request.urlRequest.value(forHTTPHeaderField: "Authorization") ?? "")
        }
        let callers = WatchedExecutor()
        let calls = (0..<6).map { index in
            let signing = Intercept.changing {
                try? $0.setHeader("Authorization", "Bearer \(canary("user \(index)"))")
            }
            let provider = ServiceProvider<TestService>(
                stubs: stubs, interceptors: [deduplication, signing])
            return Task(executorPreference: callers) {
                try await provider.load(service: TestService())
            }
        }
        await callers.idle()
        gate.open()
        for (index, call) in calls.enumerated() {
            let token = "Bearer canary-7f3a-user-\(index)"
            #expect(try await call.value == Data(token.utf8))
        }
        #expect(stubs.requests.count == 6)
    }

    /// An inner interceptor may add headers that aren't secret.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func requestsWithOtherInnerHeadersAreMerged() async throws {
        let tracing = Intercept.changing { try? $0.setHeader("X-Trace", "\(UUID())") }
        let provider = provider(deduplication, tracing)
        let callers = WatchedExecutor()
        let calls = (0..<5).map { _ in
            Task(executorPreference: callers) { try await provider.load(service: TestService()) }
        }
        await callers.idle()
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(gate.arrivals == 1)
    }

    /// A call that is part of another one would wait for itself.
    @Test func anIdenticalRequestInsideIsSent() async throws {
        let provider = Locked<ServiceProvider<TestService>?>(nil)
        let isFirst = Locked(true)
        let twice = Intercept { request, next in
            let wasFirst = isFirst { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if wasFirst { _ = try await provider { $0 }?.load(service: TestService()) }
            return try await next(request)
        }
        let merged = self.provider(deduplication, twice)
        provider { $0 = merged }
        defer { provider { $0 = nil } }
        gate.open()
        _ = try await within(seconds: 60) { try await merged.load(service: TestService()) }
        #expect(gate.arrivals == 2)
    }

    @Test func aRequestWithAnInvalidTimeoutEnds() async throws {
        let provider = ServiceProvider<TestService>(interceptors: [deduplication])
        var urlRequest = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        urlRequest.timeoutInterval = .nan
        let request = ServiceRequest(urlRequest)
        let error = try await within(seconds: 60) {
            try await failure { _ = try await provider.pipeline.send(request) }
        }
        #expect(error.invalidPart == .timeout)
    }

    /// An inner interceptor may decide which status codes are valid.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func statusCodesAllowedByAnInnerInterceptorAreValidForAll() async throws {
        let stubs = ServiceStubs { [gate] _ in
            await gate.pass()
            return .status(404)
        }
        let allowing = Intercept { request, next in
            var request = request
            request.validStatusCodes.insert(404)
            return try await next(request)
        }
        let provider = ServiceProvider<TestService>(
            stubs: stubs, interceptors: [deduplication, allowing])
        let callers = WatchedExecutor()
        let calls = (0..<2).map { _ in
            Task(executorPreference: callers) { try await provider.response(for: TestService()) }
        }
        await callers.idle()
        gate.open()
        for call in calls { #expect(try await call.value.statusCode == 404) }
    }
}
