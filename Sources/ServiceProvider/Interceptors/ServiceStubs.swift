// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers requests in place of a server: for tests, previews, and work before there is one.
///
/// ```swift
/// let stubs = ServiceStubs(answers: [.json(#"{"id": 1}"#), .status(503)])
/// let provider = ServiceProvider<MarvelService>(stubs: stubs)
/// ```
///
/// They belong to the providers that are given them, and nobody else sees them. Their answers take the
/// way of a server's: through the other interceptors, the check of the status, the decoder; into a
/// file or a stream. Bodies that are not in memory are not opened, and redirects are not followed.
public nonisolated final class ServiceStubs: ServiceInterceptor {
    private let clock: ServiceClock
    private let answer: @concurrent @Sendable (ServiceRequest) async throws -> ServiceStub?
    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var seen: [ServiceRequest] = []

    /// Answers by a closure.
    ///
    /// - Parameters:
    ///   - clock: What delays wait by. Default: the system's.
    ///   - answer: Called for each request, several at a time where several are under way; what it
    ///     throws is thrown to the caller. Nil hands the request on, to the transport in the end.
    public init(
        clock: ServiceClock = ServiceClock(),
        answer: @escaping @concurrent @Sendable (ServiceRequest) async throws -> ServiceStub?
    ) {
        (self.clock, self.answer) = (clock, answer)
    }

    /// Answers in sequence, each answer once.
    ///
    /// A request after the last one fails with ``ServiceError/transport(_:)``, code
    /// `resourceUnavailable`: a repetition could hide that a test sends more than it should.
    public convenience init(answers: [ServiceStub], clock: ServiceClock = ServiceClock()) {
        let queue = ServiceStubQueue(answers)
        self.init(clock: clock) { try queue.next(for: $0) }
    }

    /// Answers 200 with the service's own ``Service/sampleData``.
    public static var sampleData: ServiceStubs { ServiceStubs { .data($0.sampleData) } }

    /// The requests that came, in order, as interceptors further out have made them.
    public var requests: [ServiceRequest] { lock.withLock { seen } }

    /// Answers, or hands the request on where there is no stub.
    ///
    /// - Throws: A stub's error; ``ServiceError/invalidRequest(_:reason:)`` for what a transport would
    ///   not be given; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        try request.validate(headers: request.urlRequest.allHTTPHeaderFields ?? [:])
        lock.withLock { seen.append(request) }
        guard let stub = try await answer(request) else { return try await next(request) }
        if stub.delay > 0 { try await clock.sleep(stub.delay) }
        return try await stub.outcome(request)
    }
}

/// One answer of ``ServiceStubs``.
public nonisolated struct ServiceStub: Sendable {
    fileprivate let outcome: @concurrent @Sendable (ServiceRequest) async throws -> ServiceResponse
    fileprivate var delay: TimeInterval = 0

    /// An answer with these bytes. `Content-Length` is added, unless there are no bytes.
    public static func data(
        _ data: Data, status: Int = 200, headers: [String: String] = [:]
    ) -> ServiceStub {
        ServiceStub { try $0.answered(status, headers, data) }
    }

    /// An answer with a JSON text, which is not checked, and its `Content-Type`.
    public static func json(
        _ text: String, status: Int = 200, headers: [String: String] = [:]
    ) -> ServiceStub {
        let headers = headers.adding("Content-Type", "application/json")
        return data(Data(text.utf8), status: status, headers: headers)
    }

    /// An answer without a body.
    public static func status(_ code: Int, headers: [String: String] = [:]) -> ServiceStub {
        data(Data(), status: code, headers: headers)
    }

    /// No answer, but an error: `.error(URLError(.notConnectedToInternet))`.
    public static func error(_ error: any Error) -> ServiceStub {
        ServiceStub { throw $0.naming(error) }
    }

    /// Nothing at all, until the call is cancelled.
    public static var never: ServiceStub {
        ServiceStub { _ in
            let silence = AsyncStream<Never> { _ in }
            for await _ in silence {}
            throw CancellationError()
        }
    }

    /// The same, so many seconds later.
    public func after(_ seconds: TimeInterval) -> ServiceStub {
        ServiceStub(outcome: outcome, delay: delay + seconds)
    }
}

/// Answers that are given away one by one. Empty, it is a transport that has none.
private nonisolated final class ServiceStubQueue: ServiceTransport {
    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var answers: ArraySlice<ServiceStub>

    init(_ answers: [ServiceStub]) {
        self.answers = answers[...]
    }

    func next(for request: ServiceRequest) throws -> ServiceStub {
        if let answer = lock.withLock({ answers.popFirst() }) { return answer }
        let info = [NSLocalizedDescriptionKey: "no stub is left for '\(request)'."]
        throw request.naming(URLError(.resourceUnavailable, userInfo: info))
    }

    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        try await next(for: request).outcome(request)
    }
}

nonisolated extension ServiceProvider {
    /// Makes a provider that sends nothing: stubs answer, and where they have no answer, the call fails
    /// with ``ServiceError/transport(_:)``, code `resourceUnavailable`.
    ///
    /// To stub some requests only, give the stubs as the last interceptor of another provider.
    ///
    /// - Parameters:
    ///   - stubs: What answers: `.sampleData`, a sequence, a closure.
    ///   - interceptors: Run around the stubs, the first one outermost. Default: none.
    ///   - decoder: Makes values of bodies. Default: `JSONDecoder()`.
    public convenience init(
        stubs: ServiceStubs, interceptors: [any ServiceInterceptor] = [],
        decoder: any ServiceDecoder = JSONDecoder()
    ) {
        self.init(
            transport: ServiceStubQueue([]), interceptors: interceptors + [stubs], decoder: decoder)
    }
}
