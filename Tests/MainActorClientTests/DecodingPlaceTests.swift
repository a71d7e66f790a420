// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestTraits
import Testing

/// Without annotations, a model in this module is isolated to the main actor, and so is its
/// decoding.
struct OnMain: Decodable {
    let wasOnMain: Bool

    init(from decoder: any Decoder) throws {
        MainActor.assertIsolated()
        wasOnMain = isOnMainQueue()
    }
}

nonisolated struct OffMain: Decodable {
    let wasOnMain: Bool

    init(from decoder: any Decoder) throws {
        wasOnMain = isOnMainQueue()
    }
}

/// Doesn't use `Thread.isMainThread`, because the main queue may run on another thread.
nonisolated func isOnMainQueue() -> Bool {
    DispatchQueue.getSpecific(key: mainQueueKey) == true
}

nonisolated let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

@Suite(.serialized, .opensFiles, .timeLimit) struct DecodingPlaceTests {
    let server: LoopbackServer
    let service: MarvelService

    init() throws {
        server = try LoopbackServer { request in
            request.query == "name=spider-man"
                ? .json(#"{"id": 7, "name": "Spider-Man", "members": []}"#) : .statusCode(404)
        }
        service = .characters(name: "spider-man", server: server.baseURL)
    }

    @Test func modelsAreDecodedWhereTheirIsolationSays() async throws {
        let provider = ServiceProvider<MarvelService>()
        #expect(try await provider.load(service: service, decodeType: OnMain.self).wasOnMain)
        #expect(try await !provider.load(service: service, decodeType: OffMain.self).wasOnMain)
        let onMain = await withCheckedContinuation { continuation in
            provider.load(service: service, decodeType: OnMain.self) {
                continuation.resume(returning: try? $0.get()?.wasOnMain)
            }
        }
        #expect(onMain == true)
        let offMain = await withCheckedContinuation { continuation in
            provider.load(service: service, decodeType: OffMain.self) {
                continuation.resume(returning: try? $0.get()?.wasOnMain)
            }
        }
        #expect(offMain == false)
    }

    /// Generic code knows nothing about the isolation of a type. Types that must decode on the main actor do, and no
    /// others.
    @Test func genericCodeDecodesWhereTheTypeAllowsIt() async throws {
        let client = GenericPlaces(service: PlaceService(baseURL: server.baseURL))
        #expect(try await client.inIsolation(OnMain.self).wasOnMain)
        #expect(try await client.concurrently(OnMain.self).wasOnMain)
        let nested = try await client.concurrently([String: OnMain]?.self)
        #expect(nested?.values.map(\.wasOnMain) == [true, true, true])
        #expect(try await !client.concurrently(OffMain.self).wasOnMain)
        #expect(try await client.handled(OnMain.self)?.wasOnMain == true)
        #expect(try await client.handled(OffMain.self)?.wasOnMain == true)
        #expect(try await client.handledConcurrently(OnMain.self)?.wasOnMain == true)
        #expect(try await client.handledConcurrently(OffMain.self)?.wasOnMain == false)
        #expect(try await !client.onAnActor(OffMain.self) { $0.wasOnMain })
        #expect(try await client.onAnActor(OnMain.self) { $0.wasOnMain })
    }

    /// Cancels after the failure, when only the hop to the main actor is left, which is busy here.
    @Test func cancellingAfterAFailureStillCancels() async {
        let transport = Refusing()
        let provider = ServiceProvider<MarvelService>(transport: transport)
        for _ in 0..<20 {
            let wasCancelled = await withCheckedContinuation { continuation in
                let call = provider.load(service: service, decodeType: OnMain.self) { result in
                    if case .failure(.cancelled) = result {
                        continuation.resume(returning: true)
                    } else {
                        continuation.resume(returning: false)
                    }
                }
                #expect(transport.hasResponded.wait(timeout: .now() + 300) == .success)
                Thread.sleep(forTimeInterval: 0.005)
                call.cancel()
            }
            #expect(wasCancelled)
        }
    }
}

private nonisolated struct PlaceService: Service {
    let baseURL: String
    var path: String { "/" }
    var parameters: [String: Any]? { ["name": "spider-man"] }
}

/// Wrappers that are generic over the type, in different isolations.
private nonisolated struct GenericPlaces {
    let provider = ServiceProvider<PlaceService>()
    let service: PlaceService

    @MainActor func inIsolation<U: Decodable>(_ type: U.Type) async throws -> U {
        try await provider.load(service: service, decodeType: type)
    }

    @concurrent func concurrently<U: Decodable>(_ type: U.Type) async throws -> U {
        try await provider.load(service: service, decodeType: type)
    }

    @MainActor func handled<U: Decodable>(_ type: U.Type) async throws -> U? {
        let box = await withCheckedContinuation { continuation in
            provider.load(service: service, decodeType: type) { result in
                continuation.resume(returning: Box(value: result))
            }
        }
        return try box.value.get()
    }

    @concurrent func handledConcurrently<U: Decodable>(_ type: U.Type) async throws -> U? {
        let box = await withCheckedContinuation { continuation in
            provider.load(service: service, decodeType: type) { result in
                continuation.resume(returning: Box(value: result))
            }
        }
        return try box.value.get()
    }

    /// An actor's generic code doesn't know either.
    @MainActor func onAnActor<U: Decodable>(
        _ type: U.Type, _ wasOnMain: @escaping @Sendable (U) -> Bool
    ) async throws -> Bool {
        try await Place(provider: provider).load(service, wasOnMain)
    }

    /// `@unchecked Sendable`, because one task passes it to another.
    private struct Box<Value>: @unchecked Sendable { let value: ServiceResult<Value> }

    private actor Place {
        let provider: ServiceProvider<PlaceService>

        init(provider: ServiceProvider<PlaceService>) { self.provider = provider }

        func load<U: Decodable>(
            _ service: PlaceService, _ wasOnMain: @Sendable (U) -> Bool
        ) async throws -> Bool {
            wasOnMain(try await provider.load(service: service, decodeType: U.self))
        }
    }
}

/// Responds to each request with 404, and signals it.
private nonisolated struct Refusing: ServiceTransport {
    let hasResponded = DispatchSemaphore(value: 0)

    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        defer { hasResponded.signal() }
        return ServiceResponse(request: request, statusCode: 404)
    }
}
