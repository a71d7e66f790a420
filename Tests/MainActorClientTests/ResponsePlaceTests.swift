// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import Testing

/// Models are decoded on the right actor at a key path, in an envelope and by a typed service.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ResponsePlaceTests {
    struct OnMainService: TypedService {
        typealias Response = OnMain
        let baseURL: String
        var path: String { "/" }
    }

    nonisolated struct OffMainService: TypedService {
        typealias Response = OffMain
        let baseURL: String
        var path: String { "/" }
    }

    struct OnMainAnswer: Decodable, ServiceEnvelope {
        let wasOnMain: Bool
        var content: Bool { wasOnMain && isOnMainQueue() }

        init(from decoder: any Decoder) throws {
            wasOnMain = try OnMain(from: decoder).wasOnMain
        }
    }

    nonisolated struct OffMainAnswer: Decodable, ServiceEnvelope {
        let content: Bool

        init(from decoder: any Decoder) throws {
            content = try OffMain(from: decoder).wasOnMain
        }
    }

    let onMain: OnMainService
    let offMain: OffMainService
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .json(#"{"a": [{}]}"#) }
        (onMain, offMain) = (.init(baseURL: server.baseURL), .init(baseURL: server.baseURL))
    }

    @Test func typedServicesDecodeOnTheRightActor() async throws {
        let mine = try await ServiceProvider<OnMainService>().load(service: onMain)
        #expect(mine.wasOnMain)
        let others = try await ServiceProvider<OffMainService>().load(service: offMain)
        #expect(!others.wasOnMain)
    }

    @Test func handlersOfTypedServicesDecodeOnTheRightActor() async throws {
        let mine = await withCheckedContinuation { continuation in
            ServiceProvider<OnMainService>().load(service: onMain) { result in
                var wasOnMain: Bool?
                if case .success(let model) = result { wasOnMain = model.wasOnMain }
                continuation.resume(returning: wasOnMain)
            }
        }
        #expect(mine == true)
        let others = await withCheckedContinuation { continuation in
            ServiceProvider<OffMainService>().load(service: offMain) { result in
                var wasOnMain: Bool?
                if case .success(let model) = result { wasOnMain = model.wasOnMain }
                continuation.resume(returning: wasOnMain)
            }
        }
        #expect(others == false)
    }

    @Test func modelsAtAKeyPathAreDecodedOnTheRightActor() async throws {
        let provider = ServiceProvider<OnMainService>().decoding(at: "a.0")
        #expect(try await provider.load(service: onMain).wasOnMain)
        let model = try await provider.load(service: onMain, decodeType: OnMain.self)
        #expect(model.wasOnMain)
        let other = try await provider.load(service: onMain, decodeType: OffMain.self)
        #expect(!other.wasOnMain)
        let handled = await withCheckedContinuation { continuation in
            provider.load(service: onMain, decodeType: OnMain.self) { result in
                var wasOnMain: Bool?
                if case .success(let model) = result { wasOnMain = model.wasOnMain }
                continuation.resume(returning: wasOnMain)
            }
        }
        #expect(handled == true)
    }

    @Test func envelopesAreDecodedOnTheRightActor() async throws {
        let provider = ServiceProvider<OnMainService>()
        #expect(try await provider.load(service: onMain, envelope: OnMainAnswer.self))
        #expect(try await !provider.load(service: onMain, envelope: OffMainAnswer.self))
    }
}
