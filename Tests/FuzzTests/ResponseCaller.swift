// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import ServiceProvider
import ServiceProviderTransfers
import TestSupport

/// Requests responses in the way that each of them names.
struct ResponseCaller: Sendable {
    /// How a call ended. A completion handler gets no status.
    enum Outcome {
        case response(status: Int?, body: Data)
        case failure(ServiceError)
    }

    let provider: ServiceProvider<TestService>
    let port: Int
    let folder: TemporaryFolder

    func call(_ number: Int, _ sent: CorruptResponse) async -> Outcome {
        let service = TestService(
            baseURL: "http://127.0.0.1:\(port)", path: "/\(number)", method: sent.method,
            timeout: sent.isHeld ? 1 : 60)
        do {
            switch sent.way {
            case .async: return try await response(service)
            case .stream: return try await stream(service)
            case .download: return try await download(service, to: folder.file("\(number)"))
            case .handler: return await handler(service)
            }
        } catch {
            return .failure(ServiceError(error))
        }
    }

    private func response(_ service: TestService) async throws -> Outcome {
        let response = try await provider.response(service: service)
        return .response(status: response.statusCode, body: response.data)
    }

    private func stream(_ service: TestService) async throws -> Outcome {
        let stream = try await provider.stream(service: service)
        let reader = stream.makeAsyncIterator()
        var body = Data()
        while let chunk = try await reader.next() {
            body += chunk
        }
        // After the end, the stream must stay at its end.
        if try await reader.next() != nil {
            body += Data("more".utf8)
        }
        return .response(status: stream.response.statusCode, body: body)
    }

    private func download(_ service: TestService, to file: URL) async throws -> Outcome {
        let response = try await provider.download(service: service, to: file)
        let body = (try? Data(contentsOf: file)) ?? Data("no file".utf8)
        try? FileManager.default.removeItem(at: file)
        return .response(status: response.statusCode, body: body)
    }

    /// If the handler is called twice, the continuation crashes the process.
    private func handler(_ service: TestService) async -> Outcome {
        await withCheckedContinuation { continuation in
            provider.load(service: service) { result in
                let outcome: Outcome
                switch result {
                case .success(let data): outcome = .response(status: nil, body: data)
                case .empty: outcome = .response(status: nil, body: Data())
                case .failure(let error): outcome = .failure(error)
                }
                continuation.resume(returning: outcome)
            }
        }
    }
}

/// Sends requests with libcurl, but only to the test's server: a redirect may lead anywhere.
struct LoopbackOnlyTransport: ServiceTransport {
    private let curl: CurlTransport
    private let port: Int

    init(port: Int) throws {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        // A connection may be reused, but only for a short time.
        configuration.maximumIdleTime = 1
        curl = try CurlTransport(configuration)
        self.port = port
    }

    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        let url = request.urlRequest.url
        guard url?.host == "127.0.0.1", url?.port == port else {
            throw URLError(.cannotFindHost)
        }
        return try await curl.send(request)
    }
}
#endif
