// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Texts controlled by a server, in extreme sizes, counts and depths: 1 MB, 300,000 items, 10,000
/// levels. Four times the text may take about four times the time.
///
/// Serialized, because these tests occupy a thread that other tests need.
@Suite(.slow, .serialized, .opensFiles(0), .timeLimit) struct HostileTextTests {
    typealias Shape = HostileText.Shape

    private static func repeating(_ unit: String, after start: String = "") -> Shape {
        HostileText.repeating(unit, after: start)
    }

    private static let ramp = HostileText.ramp
    private static let marks = HostileText.marks

    private func response(
        _ status: Int = 200, _ fields: [String: String] = [:], _ body: String = ""
    ) throws -> ServiceResponse {
        let url = try #require(URL(string: "https://h/"))
        var request = URLRequest(url: url)
        request.setValue("Bearer a-token-of-the-call", forHTTPHeaderField: "Authorization")
        return ServiceResponse(
            request: ServiceRequest(request), statusCode: status, headers: fields,
            data: Data(body.utf8))
    }

    // MARK: - Messages

    /// 24 levels once took five seconds, because each level doubled the time.
    @Test(.row("Z2"), arguments: [24, 500, 10_000])
    func messagesInDeepJSONAreFast(_ depth: Int) throws {
        let shapes = [
            ("[", "\"x\"", "]"), (#"{"error":"#, "1", "}"), (#"{"error":["#, "1", "]}"),
            (#"{"detail":0,"message":"#, "\"\"", "}"),
        ]
        for (open, inner, close) in shapes {
            let body =
                String(repeating: open, count: depth) + inner
                + String(repeating: close, count: depth)
            let failed = try response(500, [:], body)
            let start = threadTime()
            let message = failed.serverMessage
            #expect(threadTime() - start < 2, "\(open)")
            // A text doesn't count as a message if it isn't in an object, or is too deep.
            #expect(message == nil)
        }
    }

    @Test(
        .row("Z2"),
        arguments: [
            repeating("\"x\",", after: "["), repeating("[", after: ""),
            repeating("{\"errors\":[", after: ""),
            repeating("\\u0020", after: "{\"message\":\""), ramp, repeating("\u{301}", after: "a"),
        ])
    func messagesOfAnySizeTakeLinearTime(_ shape: Shape) throws {
        for type in ["application/json", "text/plain"] {
            // A body of up to 64 KB is parsed.
            let small = try growth(to: 65_536) { size in
                let error = ServiceError.unacceptableStatus(
                    try response(500, ["Content-Type": type], shape(size)))
                _ = error.description
            }
            let start = threadTime()
            let large = try response(500, ["Content-Type": type], shape(megabyte))
            _ = ServiceError.unacceptableStatus(large).description
            #expect(small < linearGrowth || threadTime() - start < 1, "\(type)")
        }
    }

    /// Decoders quote from the response: 4 MB once took seconds.
    @Test(.row("Z3")) func decodingErrorsQuoteLittle() throws {
        let quote = Self.ramp(4 * megabyte)
        let context = DecodingError.Context(codingPath: [], debugDescription: quote)
        struct Refusal: LocalizedError { let errorDescription: String? }
        let causes: [any Error] = [
            DecodingError.dataCorrupted(context), DecodingError.typeMismatch(Int.self, context),
            Refusal(errorDescription: quote),
            CocoaError(.fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: quote]),
        ]
        for cause in causes {
            let error = ServiceError.decoding(cause, try response(), as: "Page")
            let start = threadTime()
            #expect(error.description.count <= 400)
            #expect(threadTime() - start < 1)
        }
    }

    /// The coding path may have a very long key or very many keys.
    @Test(.row("Z3", "Q14")) func longCodingPathsTakeLinearTime() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let cases = [
            ("k", megabyte, 1), (Self.marks, megabyte / 4, 1), ("k", 1, sanitized(300_000)),
        ]
        for (unit, length, count) in cases {
            let growth = try growth(to: max(length, count)) { size in
                let text = String(repeating: unit, count: length > 1 ? size : 1)
                let path = Array(repeating: Key(stringValue: text), count: count > 1 ? size : 1)
                let context = DecodingError.Context(codingPath: path, debugDescription: "")
                let error = ServiceError.decoding(
                    DecodingError.keyNotFound(path[0], context), try response(), as: "Page")
                #expect(error.description.count <= 400)
            }
            #expect(growth < linearGrowth)
        }
    }

    /// The text of an error names the fault of a body that isn't JSON.
    @Test(
        .row("Z3"),
        arguments: [
            repeating("["), repeating("{\"a\":"), repeating("1,", after: "["),
            repeating("{\"a\":[true]},", after: "["), repeating("\"x\",", after: "["),
            repeating("1", after: "["), repeating("\\u0041", after: "[\""), repeating(" "),
            repeating(marks, after: "[\""), repeating(marks), ramp, repeating("<"),
        ])
    func faultsOfBodiesAreFoundInLinearTime(_ shape: Shape) throws {
        let growth = try growth(to: megabyte) { size in
            for end in ["", "]x"] {
                let response = try response(200, ["Content-Type": shape(size)], shape(size) + end)
                let error = #expect(throws: ServiceError.self) {
                    try response.decode([Int?].self)
                }
                #expect(try #require(error?.description).count <= 400)
            }
        }
        #expect(growth < linearGrowth)
    }

    /// Deeper bodies than `JSONDecoder` reads.
    @Test(.row("Z3"), arguments: ["[", "{\"a\":"])
    func deepBodiesHaveAText(_ unit: String) throws {
        let body = String(repeating: unit, count: 10_000)
        let error = #expect(throws: ServiceError.self) {
            try response(200, [:], body).decode([Int].self)
        }
        #expect(error?.description.hasSuffix("the body was cut off.") == true)
    }

    @Test(.row("Z6", "Q7"), arguments: ["/", "a@", "//", "%41", "é", marks])
    func redirectsInErrorTextsTakeLinearTime(_ unit: String) throws {
        for start in ["", "http://u:p@"] {
            let growth = try growth(to: megabyte) { size in
                let location = ["Location": Self.repeating(unit, after: start)(size)]
                _ = ServiceError.unacceptableStatus(try response(302, location)).description
            }
            #expect(growth < linearGrowth, "\(start)")
        }
    }

    // MARK: - Header fields

    static let types: [Shape] = [
        repeating(";", after: "text/plain"), repeating("\"", after: "text/plain;"),
        repeating("\\\"", after: "text/plain; a=\""), repeating(";charset=x", after: "text/plain"),
        repeating("a", after: "text/plain; charset="), repeating("e\u{301}"),
        repeating(marks, after: "text/plain; charset=utf-8"),
        repeating(marks, after: "text/plain;a"),
    ]

    @Test(.row("Z4", "Q4"), arguments: types) func contentTypesAndCharsetsTakeLinearTime(
        _ shape: Shape
    ) throws {
        let growth = try growth(to: megabyte) { size in
            _ = try response(200, ["Content-Type": shape(size)], shape(size)).text
        }
        #expect(growth < linearGrowth)
        #expect(try response(200, ["Content-Type": shape(2)], "x").text != "")
    }

    @Test(
        .row("Z5", "Q6"),
        arguments: [
            "<", "<>,", "<a>;rel=next;", ";a=\"", "\\\"", " ", "<a>;anchor=b;rel=next,",
            "<//xn-->;rel=next,", marks,
        ])
    func linksTakeLinearTime(_ unit: String) {
        let growth = growth(to: megabyte) { size in
            for start in ["", "<a>;rel=next", "<a>;a"] {
                let links = Self.repeating(unit, after: start)(size)
                _ = try? response(200, ["Link": links]).link(rel: "next")
            }
        }
        #expect(growth < linearGrowth)
    }

    @Test(.row("Z5")) func theLastOfManyLinksIsFound() throws {
        let links =
            String(repeating: "</1>; rel=prev, ", count: sanitized(300_000))
            + "</2>; rel=next"
        #expect(
            try response(200, ["Link": links]).link(rel: "next")?.absoluteString == "https://h/2")
    }

    // MARK: - Multipart

    @Test(.row("Z12", "Q15"), arguments: ["\"", "\r\n", "é", "a", "%", marks])
    func namesInFormsTakeLinearTime(
        _ unit: String
    )
        throws
    {
        let growth = try growth(to: megabyte) { size in
            let name = Self.repeating(unit)(size)
            let part = ServiceBody.Part.data(Data(), name: name, fileName: name)
            _ = try ServiceProvider<TestService>().request(
                service: .init(baseURL: "https://h", method: .post, body: .multipart([part])))
        }
        #expect(growth < linearGrowth)
    }
}
