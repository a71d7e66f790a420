// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Responds to requests in place of a server: for tests, previews, and work before the server exists.
///
/// ```swift
/// let stubs = ServiceStubs(responses: [.json(#"{"id": 1}"#), .statusCode(503)])
/// let provider = ServiceProvider<MarvelService>(stubs: stubs)
/// ```
///
/// Stubs affect only the providers that you pass them to. Their responses are treated like a
/// server's: they pass the outer interceptors, the status check and the decoder, and may go to a
/// file or a stream. Files to upload aren't opened, and redirects aren't followed.
public nonisolated final class ServiceStubs: ServiceInterceptor {
    private let clock: ServiceClock
    private let stub: @concurrent @Sendable (ServiceRequest) async throws -> ServiceStub?
    private let state: ServiceLocked<(seen: [ServiceRequest], queue: ArraySlice<ServiceStub>)>

    /// Creates stubs that a closure chooses.
    ///
    /// - Parameters:
    ///   - clock: The clock for delays. Default: the system's.
    ///   - stub: Returns the stub for a request. Nil passes the request on, in the end to the
    ///     transport. If it throws, the call fails with that error. It may be called for several
    ///     requests at the same time.
    public init(
        clock: ServiceClock = ServiceClock(),
        stub: @escaping @concurrent @Sendable (ServiceRequest) async throws -> ServiceStub?
    ) {
        self.clock = clock
        self.stub = stub
        state = ServiceLocked((seen: [], queue: []))
    }

    /// Creates stubs that are used in order, each of them once.
    ///
    /// Requests after the last stub fail with `ServiceError.transport(_:)`, code
    /// `resourceUnavailable`. The last stub isn't repeated, because that could hide that a test
    /// sends too many requests.
    public init(responses: [ServiceStub], clock: ServiceClock = ServiceClock()) {
        self.clock = clock
        stub = { _ in ServiceStub { try await NoTransport().send($0) } }
        state = ServiceLocked((seen: [], queue: responses[...]))
    }

    /// Stubs with status 200 and the service's own `ServiceRequest.sampleData`.
    public static var sampleData: ServiceStubs { ServiceStubs { .data($0.sampleData) } }

    /// The requests so far, in order, as the outer interceptors have changed them.
    public var requests: [ServiceRequest] { state.withLock { $0.seen } }

    /// Returns a stub's response, or passes the request on if it has no stub.
    ///
    /// - Throws: A stub's error; `ServiceError.invalidRequest(_:reason:)` if no transport could
    ///   send the request; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        try request.validate()
        var stub = state.withLock { state in
            state.seen.append(request)
            return state.queue.popFirst()
        }
        if stub == nil {
            stub = try await self.stub(request)
        }
        guard let stub else { return try await next(request) }
        if stub.delay > 0 {
            try await clock.sleep(stub.delay)
        }
        return try await stub.outcome(request)
    }
}

nonisolated extension ServiceProvider {
    /// Creates a provider that sends nothing. A request without a stub fails with
    /// `ServiceError.transport(_:)`, code `resourceUnavailable`.
    ///
    /// To stub only some requests, add the stubs as the last interceptor of another provider.
    ///
    /// - Parameters:
    ///   - stubs: The responses: `.sampleData`, a sequence, or a closure.
    ///   - interceptors: Run around the stubs, the first one outermost. Default: none.
    ///   - decoder: Decodes the bodies. Default: `JSONDecoder()`.
    public convenience init(
        stubs: ServiceStubs, interceptors: [any ServiceInterceptor] = [],
        decoder: any ServiceDecoder = JSONDecoder()
    ) {
        self.init(
            transport: NoTransport(), interceptors: interceptors + [stubs], decoder: decoder)
    }
}

/// Fails every request, because no stub is left for it.
private nonisolated struct NoTransport: ServiceTransport {
    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        throw URLError(.resourceUnavailable, "no stub is left for '\(request)'.")
    }
}

/// One response of ``ServiceStubs``.
public nonisolated struct ServiceStub: Sendable {
    let outcome: @concurrent @Sendable (ServiceRequest) async throws -> ServiceResponse
    private(set) var delay: TimeInterval = 0

    /// A response with this body. `Content-Length` is added, unless the body is empty.
    public static func data(
        _ data: Data, statusCode: Int = 200, headers: [String: String] = [:]
    ) -> ServiceStub {
        ServiceStub { try $0.makeResponse(statusCode, headers, ServiceArchiveSource(data)) }
    }

    /// A response with a JSON text and its `Content-Type`. The text isn't checked.
    public static func json(
        _ text: String, statusCode: Int = 200, headers: [String: String] = [:]
    ) -> ServiceStub {
        let headers = headers.adding("Content-Type", "application/json")
        return data(Data(text.utf8), statusCode: statusCode, headers: headers)
    }

    /// A response without a body.
    public static func statusCode(_ code: Int, headers: [String: String] = [:]) -> ServiceStub {
        data(Data(), statusCode: code, headers: headers)
    }

    /// An error in place of a response: `.error(URLError(.notConnectedToInternet))`.
    public static func error(_ error: any Error) -> ServiceStub {
        ServiceStub { _ in throw error }
    }

    /// No response: the call waits until it is cancelled.
    public static var never: ServiceStub {
        ServiceStub { _ in
            let silence = AsyncStream<Never> { _ in }
            for await _ in silence {}
            throw CancellationError()
        }
    }

    /// Returns this stub with a delay in seconds. Delays add up.
    public func after(_ seconds: TimeInterval) -> ServiceStub {
        ServiceStub(outcome: outcome, delay: delay + seconds)
    }
}
