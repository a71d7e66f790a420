// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

import ServiceProvider
import ServiceProviderTransfers
import TestSupport

/// A transport. The test sends its response chunk by chunk.
final class Feed: ServiceTransport {
    private let reception = Locked<ServiceResponseBuilder?>(nil)
    private let canPause: Bool
    let pauses = Locked<[Bool]>([])
    let cancelCount = Locked(0)

    init(canPause: Bool = true) { self.canPause = canPause }

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        let pause = { @Sendable [pauses] isPaused in pauses { $0.append(isPaused) } }
        let control = ServiceTransferControl(
            cancel: { [cancelCount] in cancelCount { $0 += 1 } }, setPaused: canPause ? pause : nil)
        let reception = ServiceResponseBuilder(for: request, control: control)
        let head = ServiceResponse(request: request, statusCode: 200)
        let response = try reception.didReceive(head: head)
        self.reception { $0 = reception }
        return try response ?? reception.end(nil)
    }

    func receive(_ chunk: Data) throws { try reception { try $0?.didReceive(chunk: chunk) } }

    func receive(_ text: String) throws { try receive(Data(text.utf8)) }

    func end(_ error: (any Error)? = nil) { reception { _ = try? $0?.end(error) } }

    var stream: ServiceStream {
        get async throws {
            let service = TestService(baseURL: "http://feed.invalid:81")
            return try await ServiceProvider<TestService>(transport: self).stream(service: service)
        }
    }
}
