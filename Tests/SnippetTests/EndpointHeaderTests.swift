// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct EndpointHeaderTests {
    @Test func headersAreSent() async throws {
        let headers = Dictionary(uniqueKeysWithValues: (0..<200).map { ("X-\($0)", "v \($0)") })
        #expect(try await Endpoint(headers: headers).request().allHTTPHeaderFields == headers)
    }

    @Test func theContentTypeOfAServiceComesFirst() async throws {
        let headers = ["Content-Type": "application/vnd.api+json"]
        let endpoint = Endpoint(method: .post, parameters: ["a": 1], headers: headers)
        #expect(try await endpoint.request().allHTTPHeaderFields == headers)
    }

    @Test func headerNamesMustBeTokens() async throws {
        for name in ["", " ", "X A", "X:A", "X\r\nA", "X-A: 1\r\nX-B", "caf\u{E9}", "\u{0}", "(a)"]
        {
            let error = try #require(await Endpoint(headers: [name: "hunter2"]).failure())
            guard case .invalidRequest(.header, _) = error else {
                Issue.record(error)
                continue
            }
            #expect(!"\(error)".contains("hunter2"))
            #expect(!"\(error)".unicodeScalars.contains { $0.value < 32 })
        }
    }

    @Test func controlCharactersInValuesAreRefused() async throws {
        for value in [
            "hunter2\r\nX: 1", "hunter2\n", "\r", "\u{0}", "\u{1B}[31m", "\u{7F}", "a\r\u{301}",
        ] {
            let error = try #require(await Endpoint(headers: ["X-Name": value]).failure())
            guard case .invalidRequest(.header, _) = error else {
                Issue.record(error)
                continue
            }
            #expect("\(error)".contains("'X-Name'"))
            #expect(!"\(error)".contains("hunter2"))
        }
    }

    @Test func otherTextsAreKept() async throws {
        for value in ["", "caf\u{E9}", "日本", "a: b; c=\"d\"", "e\u{301}"] {
            let request = try await Endpoint(headers: ["X-Name": value]).request()
            let sent = try #require(request.value(forHTTPHeaderField: "X-Name"))
            #expect(Array(sent.utf8) == Array(value.utf8))
        }
    }

    /// Comparing them takes quadratic time: minutes for this size.
    @Test(.row("Q17")) func manyCombiningMarksInANameAreFast() async {
        let marks = String(repeating: "\u{315}\u{301}\u{327}", count: 200_000)
        let endpoint = Endpoint(method: ServiceMethod(rawValue: "GET" + marks))
        let start = ContinuousClock.now
        #expect(await endpoint.failure(.init()) != nil)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test(.row("I7")) func framingHeadersAreRefused() async {
        for name in ["Content-Length", "content-length", "Transfer-Encoding", "TRANSFER-ENCODING"] {
            #expect(await Endpoint(headers: [name: "5"]).invalidPart() == .header)
        }
    }

    @Test func methodsMustBeTokens() async {
        for method in ["", "GET ", "GET / HTTP/1.1\r\nX: 1\r\n\r\n", "\u{0}", "PO ST"] {
            let endpoint = Endpoint(baseURL: "http://127.0.0.1:9", method: .init(rawValue: method))
            #expect(await endpoint.failure(.init()) != nil)
        }
    }

    @Test func prepareChangesTheRequest() async throws {
        let endpoint = Endpoint { $0.urlRequest.timeoutInterval = 5 }
        #expect(try await endpoint.request().timeoutInterval == 5)
    }

    @Test func errorsOfPrepareAreKept() async throws {
        struct Refusal: Error {}
        let failure = try #require(await Endpoint { _ in throw Refusal() }.failure())
        guard case .interceptor(let error) = failure else {
            Issue.record(failure)
            return
        }
        #expect(error is Refusal)
    }

    @Test func bodiesAreEncoded() async throws {
        struct Post: Encodable {
            let title: String
        }
        let json = Endpoint(method: .post, body: .json(Post(title: "Hello")))
        #expect(try await json.bodyText() == #"{"title":"Hello"}"#)
        let type = try await json.request().value(forHTTPHeaderField: "Content-Type")
        #expect(type == "application/json")
        let data = Endpoint(method: .put, body: .data(Data([1, 2])))
        #expect(try await data.request().httpBody == Data([1, 2]))
        let other = try await data.request().value(forHTTPHeaderField: "Content-Type")
        #expect(other == "application/octet-stream")
    }

    /// As in parameters.
    @Test func datesInABodyAreISO8601() async throws {
        struct Event: Encodable {
            let title = "Launch"
            let date = Date(timeIntervalSince1970: 1_795_737_600)
        }
        let text = #"{"date":"2026-11-27T00:00:00Z","title":"Launch"}"#
        #expect(try await Endpoint(method: .post, body: .json(Event())).bodyText() == text)
    }

    @Test func bodiesThatCannotBeEncodedAreErrors() async throws {
        struct Refusal: Error, Encodable {
            func encode(to encoder: any Encoder) throws { throw self }
        }
        let dates = [1e12, -1e12, .infinity, .nan].map(Date.init(timeIntervalSince1970:))
        let bodies: [ServiceBody] =
            dates.map { .json([$0]) } + [.json(["price": Double.nan]), .json(Refusal())]
        for body in bodies {
            #expect(await Endpoint(method: .post, body: body).invalidPart() == .body)
        }
    }

    /// Otherwise chance would decide which one is sent.
    @Test func aHeaderIsSetOnce() async {
        let headers = ["Authorization": "Bearer a", "authorization": "Bearer b"]
        #expect(await Endpoint(headers: headers).invalidPart() == .header)
    }

    @Test func aContentTypeWithALineBreakIsRefused() async {
        let body = ServiceBody.data(Data([1]), contentType: "text/plain\r\nX: 1")
        #expect(await Endpoint(method: .post, body: body).invalidPart() == .header)
    }

    @Test func aRequestWithoutAURLIsRefused() async {
        let endpoint = Endpoint { $0.urlRequest.url = nil }
        guard case .invalidRequest(.baseURL, _)? = await endpoint.failure(.init()) else {
            Issue.record("It isn't an invalid base URL.")
            return
        }
    }
}
