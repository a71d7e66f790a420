// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Lists that are loaded page by page from a server.
@Suite(.serialized, .opensFiles, .timeLimit) struct PagesTests {
    private let provider = ServiceProvider<TestService>()

    @Test(arguments: [
        ([:], [1]), ([1: 2], [1, 2]), ([1: 2, 2: 3, 3: 9, 9: 4], [1, 2, 3, 9, 4]),
    ])
    func everyPageIsDeliveredOnce(next: [Int: Int], numbers: [Int]) async throws {
        let server = try LoopbackServer.listing(next)
        let (pages, error) = await provider.list(server).all()
        #expect(pages.map(\.number) == numbers)
        #expect(error == nil)
        #expect(server.pageNumbers == numbers)
    }

    @Test func pagesAreNotLoadedAhead() async throws {
        let server = try LoopbackServer.listing([1: 2, 2: 3])
        var iterator = provider.list(server).makeAsyncIterator()
        #expect(await provider.list(server, from: 40).all().pages.count == 1)
        #expect(server.pageNumbers == [40])
        #expect(try await iterator.next()?.number == 1)
        // If the next page were loaded ahead, its request would arrive during these.
        for number in 41...44 { _ = await provider.list(server, from: number).all() }
        #expect(server.pageNumbers == [40, 1, 41, 42, 43, 44])
        #expect(try await iterator.next()?.number == 2)
        #expect(server.pageNumbers.last == 2)
    }

    @Test func eachIterationStartsAgain() async throws {
        let server = try LoopbackServer.listing([1: 2])
        let pages = provider.list(server)
        for _ in 0..<3 { #expect(await pages.all().pages.map(\.number) == [1, 2]) }
        var (one, other) = (pages.makeAsyncIterator(), pages.makeAsyncIterator())
        #expect(try await one.next()?.number == 1)
        #expect(try await other.next()?.number == 1)
        #expect(try await one.next()?.number == 2)
        #expect(try await other.next()?.number == 2)
    }

    @Test func theNextPageIsChosenOncePerPage() async throws {
        let server = try LoopbackServer.listing([1: 2])
        let asked = Locked<[Int]>([])
        let first = TestService.page(at: server.baseURL)
        let pages = provider.pages(service: first, decodeType: NumberPage.self) { page, response in
            asked { $0.append(page.number) }
            #expect(response.statusCode == 200)
            #expect(response.header("content-type") == "application/json")
            return page.next.map { .page($0, at: first.baseURL) }
        }
        var iterator = pages.makeAsyncIterator()
        #expect(asked { $0 }.isEmpty)
        while try await iterator.next() != nil {}
        #expect(asked { $0 } == [1, 2])
    }

    @Test(arguments: [
        (LoopbackResponse.statusCode(500), "500"), (.json("[]"), "Decoding 'NumberPage'"),
        (.statusCode(204), "without a body"),
        (.text("").cut(.reset, afterHeaderBytes: 3), "URLError -"),
    ])
    func anErrorEndsThePages(response: LoopbackResponse, text: String) async throws {
        let server = try LoopbackServer { request in
            request.pageNumber == 1 ? .json(#"{"number": 1, "next": 2}"#) : response
        }
        var iterator = provider.list(server).makeAsyncIterator()
        #expect(try await iterator.next()?.number == 1)
        let error = await #expect(throws: ServiceError.self) { try await iterator.next() }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        let count = server.requests.count
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == count)
    }

    @Test func anEmptyPageOfAnOptionalTypeIsNil() async throws {
        let server = try LoopbackServer(responses: [.statusCode(204), .json("[7]")])
        let first = TestService.page(at: server.baseURL)
        let pages = provider.pages(service: first, decodeType: [Int]?.self) { page, _ in
            page == nil ? .page(2, at: first.baseURL) : nil
        }
        #expect(await pages.all().pages == [nil, [7]])
        #expect(server.pageNumbers == [1, 2])
    }

    @Test func cancellingStopsThePages() async throws {
        let server = try LoopbackServer { request in
            request.pageNumber == 1 ? .json(#"{"number": 1, "next": 2}"#) : .never
        }
        let pages = Task { [provider] in await provider.list(server).all() }
        _ = try await server.arrival()
        _ = try await server.arrival()
        pages.cancel()
        let (numbers, error) = try await within(seconds: 300) { await pages.value }
        #expect(numbers.map(\.number) == [1])
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func linkHeadersCanNameTheNextPage() async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.json(
                #"{"number": \#(request.pageNumber), "next": null}"#)
            // Two `Link` headers, as a proxy may leave them.
            let link = #"</list?page=\#(request.pageNumber + 1)&per=2>; rel="next""#
            return request.pageNumber < 3
                ? response.header("Link", #"</list?page=0>; rel="prev""#).header("Link", link)
                : response
        }
        let first = LinkedService.first(server.baseURL + "/list?page=1")
        let pages = ServiceProvider<LinkedService>().pages(
            service: first, decodeType: NumberPage.self
        ) { _, response in try response.link(rel: "next").map { .page($0) } }
        #expect(await pages.all().pages.map(\.number) == [1, 2, 3])
        #expect(server.requests.map(\.target).last == "/list?page=3&per=2")
    }

    /// The end of a list and a link that can't be followed are different things.
    @Test(.row("E13")) func aRefusedLinkEndsThePagesWithAnError() async throws {
        let server = try LoopbackServer { request in
            LoopbackResponse.json(#"{"number": \#(request.pageNumber), "next": null}"#)
                .header("Link", #"<ftp://127.0.0.1/list?page=2>; rel="next""#)
        }
        let first = LinkedService.first(server.baseURL + "/list?page=1")
        let pages = ServiceProvider<LinkedService>().pages(
            service: first, decodeType: NumberPage.self
        ) { _, response in try response.link(rel: "next").map { .page($0) } }
        let (delivered, error) = await pages.all()
        #expect(delivered.isEmpty)
        guard case .decoding(_, let response, as: "Link")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 200)
    }

    @Test func anErrorOfTheClosureEndsThePages() async throws {
        let server = try LoopbackServer.listing([1: 2])
        let pages = provider.pages(
            service: TestService.page(at: server.baseURL), decodeType: NumberPage.self
        ) { _, _ in throw TookTooLong() }
        guard case .interceptor(is TookTooLong)? = await pages.all().error else {
            Issue.record("no error of the closure")
            return
        }
    }
}

private enum LinkedService: Service {
    case first(String)
    case page(URL)

    var baseURL: String {
        switch self {
        case .first(let text): text
        case .page(let url): url.absoluteString
        }
    }
    var path: String { "" }
}
