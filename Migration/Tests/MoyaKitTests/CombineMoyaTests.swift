// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(Combine)
import Combine
import CombineMoya
import Foundation
import Moya
import TestSupport
import Testing

/// The publishers of CombineMoya.
@Suite struct CombineMoyaTests {
    /// The call ends while its subscriber asks for the first value.
    @Test func anImmediateStubSendsItsValueOnce() {
        let provider = MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub)
        var events: [String] = []
        let call = provider.requestPublisher(.book(id: 3)).sink(
            receiveCompletion: { _ in events.append("end") },
            receiveValue: { events.append((try? $0.mapString()) ?? "") })
        #expect(events == [#"{"id": 3, "title": "Dune"}"#, "end"])
        call.cancel()
    }

    @Test func aCancelledSubscriberGetsNothing() async {
        let provider = MoyaProvider<Bookshop>(stubClosure: MoyaProvider.delayedStub(0.01))
        var events: [String] = []
        let call = provider.requestPublisher(.book(id: 3)).sink(
            receiveCompletion: { _ in events.append("end") },
            receiveValue: { _ in events.append("value") })
        call.cancel()
        // Another call, which ends later.
        _ = await provider.result(of: .book(id: 3))
        #expect(events.isEmpty)
    }
}
#endif
