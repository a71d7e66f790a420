// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A page, and the number of the next page.
nonisolated struct NumberPage: Decodable, Equatable {
    let number: Int
    let next: Int?
}

extension TestService {
    /// Requests a page of a list.
    static func page(_ number: Int = 1, at baseURL: String) -> TestService {
        TestService(
            baseURL: baseURL, path: "/list",
            parameters: ["page": number, "token": "page-secret"]
        ).patient
    }
}

extension LoopbackServer {
    /// A server that links its pages by a table. A page that isn't in the table is the last one.
    static func listing(_ next: [Int: Int]) throws -> LoopbackServer {
        try LoopbackServer { request in
            let number = request.pageNumber
            return .json(
                #"{"number": \#(number), "next": \#(next[number].map(String.init) ?? "null")}"#)
        }
    }

    var pageNumbers: [Int] { requests.map(\.pageNumber) }
}

extension LoopbackRequest {
    var pageNumber: Int {
        let items = URLComponents(string: target)?.queryItems ?? []
        return items.first { $0.name == "page" }?.value.flatMap { Int($0) } ?? 0
    }
}

extension ServiceProvider<TestService> {
    /// The pages of a list. Each page contains the number of the next one.
    func list(
        _ server: LoopbackServer, from number: Int = 1
    ) -> ServicePages<TestService, NumberPage> {
        let first = TestService.page(number, at: server.baseURL)
        return pages(service: first, decodeType: NumberPage.self) { page, _ in
            page.next.map { .page($0, at: first.baseURL) }
        }
    }
}

extension ServicePages {
    /// Returns all pages, and the error that ended them.
    nonisolated(nonsending) func all() async -> (pages: [Page], error: ServiceError?) {
        var pages: [Page] = []
        do {
            for try await page in self { pages.append(page) }
            return (pages, nil)
        } catch {
            return (pages, ServiceError(error))
        }
    }
}
