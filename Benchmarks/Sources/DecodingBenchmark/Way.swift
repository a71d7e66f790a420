// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if os(Linux)
import CurlTransport
#endif

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct PageService: Service {
    let baseURL: String
    var path: String { "/page" }
}

/// A way to load a page, decode it, and return it to the main actor.
struct Way {
    let name: String
    /// Loads a page. Returns the number of heroes.
    let load: @MainActor () async throws -> Int

    /// Loads nothing, to measure the noise of the heartbeat and the machine.
    static let idle = "idle"
    /// The handler hops to the main queue and decodes there.
    static let naive = "URLSession, decoded on main"

    static func isLibrary(_ name: String) -> Bool { !name.hasPrefix("URLSession,") && name != idle }

    static func all(baseURL: String) throws -> [Way] {
        let service = PageService(baseURL: baseURL)
        guard let url = URL(string: baseURL + service.path) else { throw URLError(.badURL) }
        var ways = [
            Way(name: idle) {
                try await Task.sleep(nanoseconds: 80_000_000)
                return 0
            },
            Way(name: naive) { try await byHand(url, decodesOnMain: true) },
            Way(name: "URLSession, decoded off main") {
                try await byHand(url, decodesOnMain: false)
            },
        ]
        ways += library("ServiceProvider", ServiceProvider(), service)
        #if os(Linux)
        let curl = ServiceProvider<PageService>(transport: try CurlTransport())
        ways += library("CurlTransport", curl, service)
        #endif
        return ways
    }

    private static func library(
        _ name: String, _ provider: ServiceProvider<PageService>, _ service: PageService
    ) -> [Way] {
        [
            Way(name: "\(name), handler") {
                try await withCheckedThrowingContinuation { continuation in
                    provider.load(service: service, decodeType: Page.self) { result in
                        switch result {
                        case .success(let page): continuation.resume(returning: page.heroes.count)
                        case .failure(let error): continuation.resume(throwing: error)
                        case .empty: continuation.resume(returning: 0)
                        }
                    }
                }
            },
            Way(name: "\(name), async") {
                try await provider.load(service: service, decodeType: Page.self).heroes.count
            },
        ]
    }

    private static func byHand(_ url: URL, decodesOnMain: Bool) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            URLSession.shared.dataTask(with: url) { data, _, error in
                @Sendable func decode() -> Result<Page, any Error> {
                    Result {
                        if let error { throw error }
                        return try JSONDecoder().decode(Page.self, from: data ?? Data())
                    }
                }
                let decoded = decodesOnMain ? nil : decode()
                DispatchQueue.main.async {
                    let page = decoded ?? decode()
                    continuation.resume(with: page.map(\.heroes.count))
                }
            }.resume()
        }
    }
}
