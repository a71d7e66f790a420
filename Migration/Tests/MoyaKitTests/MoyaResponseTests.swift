// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import Moya
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MoyaResponseTests {
    struct Book: Decodable, Equatable {
        let id: Int
    }

    struct Lenient: Decodable, Equatable {
        var id: Int?
    }

    func response(_ text: String, status: Int = 200) -> Response {
        Response(statusCode: status, data: Data(text.utf8))
    }

    @Test func filtersCheckTheStatus() throws {
        #expect(try response("", status: 204).filterSuccessfulStatusCodes().statusCode == 204)
        #expect(try response("", status: 304).filterSuccessfulStatusAndRedirectCodes().data.isEmpty)
        #expect(try response("", status: 404).filter(statusCode: 404).statusCode == 404)
        #expect(try response("", status: 404).filter(statusCodes: 400..<500).statusCode == 404)
        for status in [199, 300, 404] {
            let error = #expect(throws: MoyaError.self) {
                try response("", status: status).filterSuccessfulStatusCodes()
            }
            guard case .statusCode(let response) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(response.statusCode == status)
            #expect(error?.response === response)
        }
        #expect(throws: MoyaError.self) {
            try response("", status: 400).filterSuccessfulStatusAndRedirectCodes()
        }
        #expect(throws: MoyaError.self) { try response("", status: 1).filter(statusCodes: 2...) }
    }

    @Test func valuesAreDecodedAtAPath() throws {
        let nested = response(#"{"data":{"books":[{"id":1}],"name":"n","count":3,"null":null}}"#)
        #expect(try nested.map([Book].self, atKeyPath: "data.books") == [Book(id: 1)])
        #expect(try nested.map(String.self, atKeyPath: "data.name") == "n")
        #expect(try nested.map(Int.self, atKeyPath: "data.count") == 3)
        #expect(try nested.mapString(atKeyPath: "data.name") == "n")
        #expect(try response(#"{"id":1}"#).map(Book.self) == Book(id: 1))
        #expect(try nested.map([Int].self, atKeyPath: "data.books.id") == [1])
        for path in ["data.nothing", "data.name.id", "x"] {
            let error = #expect(throws: MoyaError.self) {
                try nested.map(Book.self, atKeyPath: path)
            }
            guard case .jsonMapping = error else { Issue.record("\(path)"); return }
        }
        let error = #expect(throws: MoyaError.self) {
            try nested.map(Book.self, atKeyPath: "data.name")
        }
        guard case .objectMapping(let cause, _) = error else { Issue.record("no cause"); return }
        #expect(cause is DecodingError)
    }

    @Test func aPathGoesThroughLists() throws {
        let body = response(
            #"""
            {"rows":[{"cells":[{"id":1},{"id":2}]},{"cells":[]},{"cells":[{"id":3},{"no":4}]}]}
            """#)
        let ids = try body.map([[Int?]].self, atKeyPath: "rows.cells.id")
        #expect(ids == [[1, 2], [], [3, nil]])
        // Only an object has keys, as in Moya.
        #expect(throws: MoyaError.self) {
            try response(#"[{"id":1}]"#).map([Int].self, atKeyPath: "id")
        }
    }

    @Test func withoutAValueAtThePathTheWholeBodyMayBeDecoded() throws {
        let body = response(#"{"id":7}"#)
        let book = try body.map(Book.self, atKeyPath: "data", failsOnEmptyData: false)
        #expect(book == Book(id: 7))
        let list = try response("[{}]").map(
            [Lenient].self, atKeyPath: "a", failsOnEmptyData: false)
        #expect(list == [Lenient()])
        let error = #expect(throws: MoyaError.self) {
            try response("").map(Book.self, atKeyPath: "data", failsOnEmptyData: false)
        }
        guard case .objectMapping = error else {
            Issue.record("\(String(describing: error))"); return
        }
    }

    @Test(arguments: ["{}", #"{"a":1}"#, #"{"a":null}"#, "[]", #""a""#])
    func textIsOnlyReadAtItsPath(json: String) {
        let error = #expect(throws: MoyaError.self) {
            try response(json).mapString(atKeyPath: "a")
        }
        guard case .stringMapping = error else {
            Issue.record("\(String(describing: error))"); return
        }
    }

    @Test func decodersKeepTheirStrategies() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let body = response(#"{"data":{"name":"Ada","birthday":5}}"#)
        let profile = try body.map(Profile.self, atKeyPath: "data", using: decoder)
        #expect(profile.birthday == Date(timeIntervalSince1970: 5))
    }

    @Test func emptyBodiesFailUnlessTheyMayBeEmpty() throws {
        #expect(throws: MoyaError.self) { try response("").map(Lenient.self) }
        #expect(throws: MoyaError.self) { try response("").mapJSON() }
        #expect(try response("").map(Lenient.self, failsOnEmptyData: false) == Lenient())
        #expect(try response("").map([Lenient].self, failsOnEmptyData: false) == [Lenient()])
        #expect(try response("").mapJSON(failsOnEmptyData: false) is NSNull)
        #expect(throws: MoyaError.self) {
            try response("").map(Book.self, failsOnEmptyData: false)
        }
    }

    @Test func textAndJSONAreRead() throws {
        #expect(try response("hé").mapString() == "hé")
        #expect(try response("[1]").mapJSON() as? [Int] == [1])
        #expect(try response("3").mapJSON() as? Int == 3)
        let bad = Response(statusCode: 200, data: Data([0xFF, 0xFE, 0xFD]))
        #expect(throws: MoyaError.self) { try bad.mapString() }
        #expect(throws: MoyaError.self) { try bad.mapJSON() }
        #expect(throws: MoyaError.self) { try response("{}").mapString(atKeyPath: "a") }
    }

    @Test func aLongPathTakesLinearTime() throws {
        let path = String(repeating: "a.", count: 500_000)
        #expect(throws: MoyaError.self) { try response(#"{"a":1}"#).mapString(atKeyPath: path) }
        #expect(throws: MoyaError.self) {
            try response(String(repeating: #"{"a":"#, count: 10_000)).mapJSON()
        }
    }

    @Test func nothingPrintsABody() {
        let request = URLRequest(url: URL(string: "https://h/?key=canary") ?? Server.url)
        let secret = Response(statusCode: 200, data: Data("canary".utf8), request: request)
        let error = MoyaError.objectMapping(URLError(.unknown), secret)
        for value in [secret, error, MoyaError.underlying(error, secret)] as [Any] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains("canary"), "\(text)")
        }
        #expect("\(secret)" == "Status Code: 200, Data Length: 6")
    }
}
