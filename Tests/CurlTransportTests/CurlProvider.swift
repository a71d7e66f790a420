// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

extension LoopbackServer {
    func endpoint(_ method: ServiceMethod = .get, _ content: String? = nil) -> TestService {
        TestService(baseURL: baseURL, method: method, body: content.map { .data(Data($0.utf8)) })
    }
}

/// Creates a provider with its own transport, which ignores proxies in the environment.
func provider(
    _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
) throws -> ServiceProvider<TestService> {
    var configuration = CurlTransport.Configuration.forTests
    configuration.proxy = .none
    change(&configuration)
    return ServiceProvider(transport: try CurlTransport(configuration: configuration))
}

/// The number of this process's threads that run a `CurlLoop`.
func loopCount() throws -> Int {
    let folder = "/proc/self/task/"
    let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
    return threads.filter {
        // A thread may end meanwhile.
        let name = try? String(contentsOfFile: "\(folder)\($0)/comm", encoding: .utf8)
        return name == "CurlTransport\n"
    }.count
}

extension ServiceProvider<TestService> {
    /// Returns the code of a call's `URLError`: nil if the call succeeds, and `.unknown` if it
    /// fails with another error.
    func code(of service: TestService) async -> URLError.Code? {
        do {
            _ = try await response(service: service)
            return nil
        } catch {
            guard case ServiceError.transport(let error) = error else { return .unknown }
            return error.code
        }
    }

    /// Sends a body that waits for its next chunk.
    @discardableResult
    nonisolated(nonsending) func upload(
        service: TestService, chunks: AsyncStream<Data>
    ) async throws -> ServiceResponse {
        var service = service
        service.body = .stream(chunks)
        return try await response(service: service)
    }
}
#endif
