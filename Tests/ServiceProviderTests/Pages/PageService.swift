// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

/// A page of a list, by its number.
struct PageService: Service, Sendable {
    var baseURL: String
    var number = 1
    var path = "/list"
    var method = ServiceMethod.get
    var headers: [String: String] = [:]
    var content: String?
    /// Late: on a busy machine a test may wait for its turn for longer than the session's own minute.
    var timeout: TimeInterval? = 3_000

    var parameters: [String: Any]? { ["page": number, "token": "page-secret"] }
    var body: ServiceBody? { content.map { .data(Data($0.utf8)) } }
}

/// A page, and the number of the next.
nonisolated struct NumberPage: Decodable, Equatable {
    let number: Int
    let next: Int?
}

extension LoopbackServer {
    /// A server whose pages lead where a table says; a number that is not in it is the last page.
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

extension ServiceProvider<PageService> {
    /// The pages of a list, each of which names the next.
    func list(
        _ server: LoopbackServer, from number: Int = 1
    ) -> ServicePages<PageService, NumberPage> {
        let first = PageService(baseURL: server.baseURL, number: number)
        return pages(from: first, decodeType: NumberPage.self) { page, _ in
            page.next.map { PageService(baseURL: first.baseURL, number: $0) }
        }
    }
}

extension ServicePages {
    /// All pages, and the error that ended them.
    nonisolated(nonsending) func all() async -> (pages: [Page], error: ServiceError?) {
        var pages: [Page] = []
        do throws(ServiceError) {
            for try await page in self { pages.append(page) }
            return (pages, nil)
        } catch {
            return (pages, error)
        }
    }
}
