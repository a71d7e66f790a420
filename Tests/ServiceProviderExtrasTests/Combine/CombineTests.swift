// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(Combine)
import Combine
import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Publishers. They run on Apple platforms only.
@Suite(.serialized, .opensFiles, .timeLimit) struct CombineTests {
    private let provider = ServiceProvider<TestService>()

    /// Returns what a publisher sends, as text.
    private func events<P: Publisher>(_ publisher: P) async -> [String]
    where P.Failure == ServiceError {
        let (events, subscription) = (Locked<[String]>([]), Locked<AnyCancellable?>(nil))
        return await withCheckedContinuation { continuation in
            let cancellable = publisher.sink { completion in
                MainActor.assertIsolated()
                switch completion {
                case .finished: events { $0.append("finished") }
                case .failure(let error): events { $0.append("\(error)") }
                }
                subscription { $0 = nil }
                continuation.resume(returning: events { $0 })
            } receiveValue: { value in
                events { $0.append("\(value)") }
            }
            subscription { $0 = cancellable }
        }
    }

    @Test(.row("C31")) func aValueIsPublished() async throws {
        let server = try LoopbackServer { _ in .json(#"{"id": 7}"#) }
        let publisher = provider.publisher(service: server.service(), decodeType: Hero.self)
        #expect(await events(publisher.map(\.id)) == ["7", "finished"])
        #expect(await events(publisher.map(\.id)) == ["7", "finished"])
        #expect(server.requests.count == 2)
    }

    @Test func aResponseIsPublished() async throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let publisher = provider.publisher(service: server.service()).map(\.statusCode)
        #expect(await events(publisher) == ["204", "finished"])
    }

    @Test func anEmptyResponseHasNoValue() async throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let publisher = provider.publisher(service: server.service(), decodeType: Hero.self)
        #expect(await events(publisher) == ["finished"])
    }

    @Test func aFailureEndsThePublisher() async throws {
        let server = try LoopbackServer { _ in .statusCode(404) }
        let publisher = provider.publisher(service: server.service(), decodeType: Hero.self)
        #expect(await events(publisher) == ["The server answered 404 for 'GET /start': Not Found"])
    }

    @Test func nothingIsSentBeforeASubscription() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        _ = provider.publisher(service: server.service())
        #expect(server.requests.isEmpty)
    }

    @Test func cancellingTheSubscriptionCancelsTheCall() async throws {
        let server = try LoopbackServer { _ in .never }
        let ended = Gate()
        let watching = Intercept { request, next in
            do { return try await next(request) } catch {
                ended.open()
                throw error
            }
        }
        let subscription = provider.wrapped(in: watching).publisher(service: server.service())
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        while server.requests.isEmpty { try await Task.sleep(nanoseconds: 1_000_000) }
        subscription.cancel()
        await ended.pass()
    }
}
#endif
