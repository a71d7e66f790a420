// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// One response of ``ServiceStubs``.
public nonisolated struct ServiceStub: Sendable {
    let outcome: @concurrent @Sendable (ServiceRequest) async throws -> ServiceResponse
    private(set) var delay: TimeInterval = 0

    /// A response with this body. `Content-Length` is added, unless the body is empty.
    public static func data(
        _ data: Data, status: Int = 200, headers: [String: String] = [:]
    ) -> ServiceStub {
        ServiceStub { try $0.makeResponse(status, headers, data) }
    }

    /// A response with a JSON text and its `Content-Type`. The text isn't checked.
    public static func json(
        _ text: String, status: Int = 200, headers: [String: String] = [:]
    ) -> ServiceStub {
        let headers = headers.adding("Content-Type", "application/json")
        return data(Data(text.utf8), status: status, headers: headers)
    }

    /// A response without a body.
    public static func status(_ code: Int, headers: [String: String] = [:]) -> ServiceStub {
        data(Data(), status: code, headers: headers)
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
