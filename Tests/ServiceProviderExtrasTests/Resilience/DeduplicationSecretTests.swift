// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One deduplication is shared by several users, and wrongly placed outside the interceptor that adds
/// their credentials.
@Suite(.serialized, .opensFiles, .timeLimit) struct DeduplicationSecretTests {
    let deduplication = ServiceDeduplication()

    enum Credential: CaseIterable { case header, query, headerWithAPolicy }

    /// The redirect leads to another origin, so the last requests have no credentials and are equal.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: Credential.allCases)
    func credentialsBeforeARedirectAreNotMerged(_ credential: Credential) async throws {
        let files = try LoopbackServer { _ in .text("file") }
        let texts = try await texts(
            of: .redirect(to: "\(files.baseURL)/file"),
            signing: { request, secret in
                if credential == .headerWithAPolicy { request.limitRedirects(to: 5) }
                guard credential == .query else {
                    return try request.setHeader("Authorization", "Bearer \(secret)")
                }
                request.addQueryItems([("token", secret)])
            })
        #expect(texts == Array(repeating: "file", count: 4))
        #expect(files.requests.count == 4)
    }

    /// An inner interceptor may throw the response, or an error with its text.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(arguments: [true, false]) func errorsOfOthersAreNotMerged(_ isOwn: Bool) async throws {
        let texts = try await texts(of: nil, isOwnError: isOwn) { request, secret in
            try request.setHeader("Authorization", "Bearer \(secret)")
        }
        #expect(Set(texts).count == 4)
    }

    private struct Refusal: Error { let text: String }

    /// Loads an endpoint for four users at the same time.
    ///
    /// - Parameter response: The server's response; nil for a 403 with the user's header.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private func texts(
        of response: LoopbackResponse?, isOwnError: Bool = false,
        signing sign: @escaping @Sendable (inout ServiceRequest, String) throws -> Void
    ) async throws -> [String] {
        let isHeld = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { request in
            isHeld.waitForAMinute()
            isHeld.signal()
            return response ?? .text(request.header("Authorization") ?? "", status: 403)
        }
        let service = server.service()
        let callers = WatchedExecutor()
        let calls = (0..<4).map { index in
            let signing = Intercept { request, next in
                var request = request
                try sign(&request, canary("user \(index)"))
                let response = try await next(request)
                guard response.statusCode >= 400 else { return response }
                guard isOwnError else { throw ServiceError.unacceptableStatus(response) }
                throw Refusal(text: String(decoding: response.data, as: UTF8.self))
            }
            let provider = ServiceProvider<TestService>(interceptors: [deduplication, signing])
            return Task(executorPreference: callers) {
                do {
                    return String(
                        decoding: try await provider.load(service: service), as: UTF8.self)
                } catch let error as ServiceError {
                    if case .interceptor(let error as Refusal) = error { return error.text }
                    return String(decoding: error.response?.data ?? Data(), as: UTF8.self)
                }
            }
        }
        await callers.idle()
        isHeld.signal()
        var texts: [String] = []
        for call in calls { texts.append(try await call.value) }
        #expect(server.requests.count == 4)
        return texts
    }
}
