// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestTraits
import Testing

/// Models are decoded on the right actor at a key path, in an envelope and by a typed service.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResponsePlaceTests {
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

    let onMain: OnMainService
    let offMain: OffMainService
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .json(#"{"a": [{}]}"#) }
        onMain = OnMainService(baseURL: server.baseURL)
        offMain = OffMainService(baseURL: server.baseURL)
    }

    @Test func typedServicesDecodeOnTheRightActor() async throws {
        let mine = ServiceProvider<OnMainService>()
        #expect(try await mine.load(service: onMain).wasOnMain)
        let others = ServiceProvider<OffMainService>()
        #expect(try await !others.load(service: offMain).wasOnMain)
    }

    @Test func modelsAtAKeyPathAreDecodedOnTheRightActor() async throws {
        let provider = ServiceProvider<OnMainService>().decoding(at: "a.0")
        #expect(try await provider.load(service: onMain).wasOnMain)
        #expect(try await provider.load(service: onMain, decodeType: OnMain.self).wasOnMain)
        #expect(try await !provider.load(service: onMain, decodeType: OffMain.self).wasOnMain)
        let handled = await withCheckedContinuation { continuation in
            provider.load(service: onMain, decodeType: OnMain.self) {
                continuation.resume(returning: try? $0.get()?.wasOnMain)
            }
        }
        #expect(handled == true)
    }
}
