// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Post: Encodable {
    var title: String
    var score: Double
}

private struct Unspeakable: LocalizedError { var errorDescription: String? { "It burned." } }

@Suite struct BodyTests {
    private func sent(
        _ body: ServiceBody?, _ headers: [String: String] = [:], parameters: [String: Any]? = nil
    ) throws -> URLRequest {
        try TestService(method: .post, parameters: parameters, headers: headers, body: body)
            .request().urlRequest
    }

    private func type(_ request: URLRequest) -> String? {
        request.value(forHTTPHeaderField: "Content-Type")
    }

    /// The same value is encoded to the same bytes on every run, like parameters.
    @Test func keysOfJSONAreSorted() throws {
        let value = Dictionary(
            uniqueKeysWithValues: (0..<50).map { ("key\($0)", ["b": 1, "a": 2]) })
        let keys = value.keys.sorted().map { #""\#($0)":{"a":2,"b":1}"# }.joined(separator: ",")
        #expect(try sent(.json(value)).httpBody == Data("{\(keys)}".utf8))
    }

    /// As in parameters.
    @Test func datesInJSONAreISO8601() throws {
        let date = Date(timeIntervalSince1970: 1_795_867_200.75)
        let sentBody = try sent(.json(["date": date])).httpBody
        #expect(sentBody == Data(#"{"date":"2026-11-28T12:00:00Z"}"#.utf8))
        #expect(sentBody == (try sent(nil, parameters: ["date": date]).httpBody))
        let form = ServiceParameterEncoding(destination: .form)
        #expect(try form.encode(["date": date]) == "date=2026-11-28T12%3A00%3A00Z")
    }

    /// Formatting such a date would trap.
    @Test(arguments: [-1e18, 1e18, -62_135_769_601, 253_402_300_800, .infinity, .nan])
    func aDateWithoutAFourDigitYearIsRefused(_ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let error = #expect(throws: ServiceError.self) {
            try sent(.json(["dates": [date]]))
        }
        let text = "Invalid body: a value at '…[0]': the year of a date isn't one from 1 to 9999."
        #expect(error?.description == text)
    }

    /// Both are encoded as JSON values.
    @Test func dataAndTextAreEncodedAsJSONStrings() throws {
        #expect(try sent(.json(Data("hello".utf8))).httpBody == Data(#""aGVsbG8=""#.utf8))
        #expect(try sent(.json("hello")).httpBody == Data(#""hello""#.utf8))
    }

    @Test func theJSONEncoderCanBeChosen() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "most", negativeInfinity: "least", nan: "none")
        let body = ServiceBody.json(["zLast": 1, "aFirst": .infinity], encoder: encoder)
        #expect(try sent(body).httpBody == Data(#"{"aFirst":"most","zLast":1}"#.utf8))
    }

    @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE", "cOnTeNt-TyPe"])
    func headersOverrideTheContentType(_ name: String) throws {
        let own = [name: "application/vnd.api+json"]
        let bodies: [ServiceBody?] = [.json(1), .data(Data([1])), nil]
        for body in bodies {
            let request = try sent(body, own, parameters: ["a": 1])
            #expect(type(request) == "application/vnd.api+json")
            let names = (request.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() }
            #expect(names == ["content-type"])
        }
    }

    @Test func aBodyMayHaveNoContentType() throws {
        let request = try sent(
            ServiceBody {
                $0.urlRequest.httpBody = Data([1, 2])
                return nil
            })
        #expect(request.httpBody == Data([1, 2]))
        #expect(request.allHTTPHeaderFields?["Content-Type"] == nil)
    }

    @Test func errorsThrownByABodyBecomeTheReason() throws {
        let burned = ServiceBody { _ in throw Unspeakable() }
        let refusal = try #require(TestService(method: .post, body: burned).refusal())
        #expect(refusal.part == .body)
        #expect(refusal.text.contains("It burned."))
        let own = ServiceBody { _ in
            throw ServiceError.invalidRequest(.path, reason: "no file")
        }
        let named = try #require(TestService(method: .post, body: own).refusal())
        #expect(named.part == .path)
        #expect(named.text == "Invalid path: no file.")
    }

    @Test(arguments: [Double.nan, .infinity]) func encodingErrorsNameKeyAndType(
        _ score: Double
    ) throws {
        let post = Post(title: "hunter2", score: score)
        let service = TestService(method: .post, body: .json(["post": [post]]))
        let refusal = try #require(service.refusal())
        #expect(refusal.part == .body)
        #expect(refusal.text.contains("score"))
        #expect(refusal.text.contains("Double"))
        #expect(!refusal.text.contains("hunter2"))
    }

    @Test func bodiesAreBuiltOncePerRequest() throws {
        let counter = Locked(0)
        let body = ServiceBody { request in
            let count = counter { count in
                count += 1
                return count
            }
            request.urlRequest.httpBody = Data("\(count)".utf8)
            return nil
        }
        #expect(counter { $0 } == 0)
        #expect(try sent(body).httpBody == Data("1".utf8))
        #expect(try sent(body).httpBody == Data("2".utf8))
    }
}
