// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// On which actor services are read and pages are decoded.
@Suite(.serialized, .opensFiles, .timeLimit) struct PagesIsolationTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            .json(#"{"number": 1, "next": \#(request.path == "/1" ? "2" : "null")}"#)
        }
    }

    @Test func servicesDoNotHaveToBeSendable() async throws {
        let first = ReferenceService(server.baseURL, "/1")
        let pages = ServiceProvider<ReferenceService>().pages(
            service: first, decodeType: NumberPage.self
        ) { page, _ in page.next.map { ReferenceService(first.baseURL, "/\($0)") } }
        #expect(await pages.all().pages.count == 2)
        #expect(first.reads == 2)
        #expect(server.requests.map(\.path) == ["/1", "/2"])
    }

    @MainActor @Test func servicesMayBelongToTheMainActor() async throws {
        let calls = Counter()
        let pages = ServiceProvider<MainActorService>().pages(
            service: MainActorService(baseURL: server.baseURL, path: "/1"),
            decodeType: NumberPage.self
        ) { page, _ in
            MainActor.assertIsolated()
            calls.count += 1
            return page.next.map { MainActorService(baseURL: self.server.baseURL, path: "/\($0)") }
        }
        var numbers: [Int] = []
        for try await page in pages { numbers.append(page.number) }
        #expect(numbers == [1, 1])
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.next == 2)
        #expect(try await iterator.next()?.next == nil)
        #expect(calls.count == 4)
    }

    @MainActor @Test func mainActorPagesAreDecodedOnTheMainActor() async throws {
        let pages = ServiceProvider<MainActorService>().pages(
            service: MainActorService(baseURL: server.baseURL, path: "/1"),
            decodeType: MainActorPage.self
        ) { page, _ in page.next.map { .init(baseURL: self.server.baseURL, path: "/\($0)") } }
        var count = 0
        for try await page in pages where page.wasDecoded { count += 1 }
        #expect(count == 2)
    }

    @MainActor @Test func otherPagesAreDecodedOffTheMainActor() async throws {
        let first = MainActorService(baseURL: server.baseURL, path: "/1")
        let pages = ServiceProvider<MainActorService>()
            .pages(service: first, decodeType: Place.self) { _, _ in nil }
        for try await place in pages { #expect(!place.isMain) }
    }
}

private final class ReferenceService: Service {
    let path: String
    private let base: String
    private(set) var reads = 0

    init(_ base: String, _ path: String) { (self.base, self.path) = (base, path) }

    var baseURL: String {
        reads += 1
        return base
    }
}

@MainActor private final class Counter {
    var count = 0
}

@MainActor private struct MainActorService {
    let baseURL: String
    let path: String
}

extension MainActorService: @MainActor Service {
    var headers: [String: String] {
        MainActor.assertIsolated()
        return [:]
    }
}

@MainActor private struct MainActorPage: @MainActor Decodable {
    let next: Int?
    let wasDecoded: Bool

    private enum Key: CodingKey {
        case next
    }

    init(from decoder: any Decoder) throws {
        MainActor.assertIsolated()
        next = try decoder.container(keyedBy: Key.self).decodeIfPresent(Int.self, forKey: .next)
        wasDecoded = true
    }
}
