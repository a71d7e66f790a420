// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Error texts of bodies that can't be decoded. They name the expected and the found kind of value in fixed words.
@Suite struct DecodingTextTests {
    typealias Page = ErrorText.Page

    /// A body that can't be decoded as a type, and the text after the status.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let response: ServiceResponse
        let error: @Sendable (ServiceResponse) -> ServiceError?

        init<U: Decodable & SendableMetatype>(
            _ name: String, _ type: U.Type, _ body: Data, _ text: String,
            contentType: String? = "application/json", decoder: (any ServiceDecoder)? = nil
        ) {
            testDescription = name
            self.text = text
            var request = ServiceRequest(URLRequest(url: URL(fileURLWithPath: "/v1")))
            request.decoder = decoder
            let headers = contentType.map { ["content-type": $0] } ?? [:]
            response = ServiceResponse(
                request: request, statusCode: 200, headers: headers, data: body)
            error = { response in
                do {
                    _ = try response.decode(type)
                    return nil
                } catch {
                    transcribed("\(error)", as: .error)
                    return error as? ServiceError
                }
            }
        }

        init<U: Decodable & SendableMetatype>(
            _ name: String, _ type: U.Type, _ body: String, _ text: String,
            contentType: String? = "application/json", decoder: (any ServiceDecoder)? = nil
        ) {
            self.init(
                name, type, Data(body.utf8), text, contentType: contentType, decoder: decoder)
        }
    }

    struct Item: Decodable {
        enum Kind: String, Decodable {
            case hero, villain
        }
        enum Shape: Decodable {
            case circle(radius: Int)
        }
        var isHero: Bool?
        var count: UInt?
        var price: Decimal?
        var score: Double?
        var kind: Kind?
        var shape: Shape?
        var date: Date?
        var url: URL?
        var uuid: UUID?
        var data: Data?
        var tags: [String]?
        var names: [String: Int]?
    }

    /// Throws an error of its own, or one of a decoder with the value in it.
    struct Custom: Decodable {
        struct Refusal: Error {
            var value: String
        }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer().decode(String.self)
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: value)
            switch value.first {
            case "r": throw Refusal(value: value)
            case "t": throw DecodingError.typeMismatch(Self.self, context)
            case "n": throw DecodingError.valueNotFound(Self.self, context)
            default: throw DecodingError.dataCorrupted(context)
            }
        }
    }

    struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = try list.decode(Int.self)
            _ = try list.decode(Int.self)
        }
    }

    static let isoDates: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    static let snakeCase: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    /// The text of `JSONDecoder` on Linux for both.
    static let invalid = "the body isn't valid JSON, or a number doesn't fit its type."

    /// Values of another type, with the place.
    static let values = [
        Case(
            "a string for a number", Page.self, #"{"data":{"results":[{"id":1},{"id":"2"}]}}"#,
            "Decoding 'Page' failed at 'data.results[1].id': expected 'Int' but found a string."),
        Case(
            "a boolean for a number", Page.self, #"{"data":{"results":[{"id":true}]}}"#,
            "Decoding 'Page' failed at 'data.results[0].id': expected 'Int' but found a boolean."),
        Case(
            "null for a number", Page.self, #"{"data":{"results":[{"id":null}]}}"#,
            "Decoding 'Page' failed at 'data.results[0].id': expected 'Int' but found null."),
        Case(
            "a key that is missing in an element", Page.self,
            #"{"data":{"results":[{"id":1},{}]}}"#,
            "Decoding 'Page' failed at 'data.results[1].id': the value is missing."),
        Case(
            "a missing key", Page.self, #"{"error":"no"}"#,
            "Decoding 'Page' failed at 'data': the value is missing."),
        Case(
            "an array for an object", Page.self, #"{"data":[]}"#,
            "Decoding 'Page' failed at 'data': expected an object but found an array."),
        Case(
            "a string for an object", Page.self, #"{"data":"none"}"#,
            "Decoding 'Page' failed at 'data': expected an object but found a string."),
        Case(
            "null for an object", Page.self, #"{"data":null}"#,
            "Decoding 'Page' failed at 'data': expected an object but found null."),
        Case(
            "an object for an array", Page.self, #"{"data":{"results":{}}}"#,
            "Decoding 'Page' failed at 'data.results': expected an array but found an object."),
        Case(
            "null for an array", Page.self, #"{"data":{"results":null}}"#,
            "Decoding 'Page' failed at 'data.results': expected an array but found null."),
        Case(
            "an object at the top", [Hero].self, #"{"data":[]}"#,
            "Decoding 'Array<Hero>' failed: expected an array but found an object."),
        Case(
            "an array at the top", Hero.self, "[]",
            "Decoding 'Hero' failed: expected an object but found an array."),
        Case(
            "a fragment", Int.self, #""7""#,
            "Decoding 'Int' failed: expected 'Int' but found a string."),
        Case(
            "null at the top", Hero.self, "null",
            "Decoding 'Hero' failed: expected an object but found null."),
        Case(
            "a number for a string", Hero.self, #"{"id":1,"name":2}"#,
            "Decoding 'Hero' failed at 'name': expected 'String' but found a number."),
        Case(
            "an object for a string", Hero.self, #"{"id":1,"name":{"first":"A"}}"#,
            "Decoding 'Hero' failed at 'name': expected 'String' but found an object."),
        Case(
            "a number for a boolean", Item.self, #"{"isHero":1}"#,
            "Decoding 'Item' failed at 'isHero': expected 'Bool' but found a number."),
        Case(
            "a converted key", Item.self, #"{"is_hero":"yes"}"#,
            "Decoding 'Item' failed at 'isHero': expected 'Bool' but found a string.",
            decoder: snakeCase),
        Case(
            "an element of an optional array", Item.self, #"{"tags":["a",2]}"#,
            "Decoding 'Item' failed at 'tags[1]': expected 'String' but found a number."),
        Case(
            "a key of a dictionary", Item.self, #"{"names":{"one":"1"}}"#,
            "Decoding 'Item' failed at 'names.…': expected 'Int' but found a string."),
        Case(
            "an array for a dictionary", Item.self, #"{"names":[]}"#,
            "Decoding 'Item' failed at 'names': expected an object but found an array."),
        Case(
            "an optional at the top", Hero?.self, #"{"id":"1"}"#,
            "Decoding 'Optional<Hero>' failed at 'id': expected 'Int' but found a string."),
        Case(
            "a string for the default date", Item.self, #"{"date":"2026-11-28T12:00:00Z"}"#,
            "Decoding 'Item' failed at 'date': expected 'Double' but found a string."),
        Case(
            "a number for an ISO 8601 date", Item.self, #"{"date":1795867200}"#,
            "Decoding 'Item' failed at 'date': expected 'String' but found a number.",
            decoder: isoDates),
        Case(
            "an array that is too short", Pair.self, "[1]",
            "Decoding 'Pair' failed at '[1]': expected 'Int' but found the end of the array."),
    ]

    /// Values of the right type that aren't valid.
    static let invalidValues = [
        Case(
            "an unknown case", Item.self, #"{"kind":"sidekick"}"#,
            "Decoding 'Item' failed at 'kind': no case has this raw value."),
        Case(
            "a URL", Item.self, #"{"url":""}"#,
            "Decoding 'Item' failed at 'url': the string isn't a URL."),
        Case(
            "a UUID", Item.self, #"{"uuid":"12"}"#,
            "Decoding 'Item' failed at 'uuid': the string isn't a UUID."),
        Case(
            "Base64", Item.self, #"{"data":"%%%"}"#,
            "Decoding 'Item' failed at 'data': the string isn't Base64."),
        Case(
            "an error of the model", Custom.self, #""refused""#,
            "Decoding 'Custom' failed with an error of type 'Refusal'."),
        Case(
            "a value that the model refuses", [Custom].self, #"["value"]"#,
            "Decoding 'Array<Custom>' failed at '[0]': the value isn't valid."),
        Case(
            "a model's mismatch", Custom.self, #""this 5 but found that""#,
            "Decoding 'Custom' failed: expected 'Custom' but found something else."),
        Case(
            "a model's missing value", Custom.self, #""nothing here""#,
            "Decoding 'Custom' failed: expected 'Custom' but found null."),
    ]

    static let html = "<!DOCTYPE html>\n<html><body>Sign in</body></html>"

    /// Bodies that aren't JSON.
    static let bodies = [
        Case(
            "a login page", Page.self, html,
            "Decoding 'Page' failed: the body isn't JSON, but HTML.", contentType: "text/html"),
        Case(
            "HTML without a content type", Page.self, "\n  \(html)",
            "Decoding 'Page' failed: the body isn't JSON, but HTML.", contentType: nil),
        Case(
            "XML", Page.self, #"<?xml version="1.0"?><Error/>"#,
            "Decoding 'Page' failed: the body isn't JSON, but XML.", contentType: nil),
        Case(
            "XML by its content type", Page.self, "<Error/>",
            "Decoding 'Page' failed: the body isn't JSON, but XML.",
            contentType: "application/problem+xml; charset=utf-8"),
        Case(
            "XHTML", Page.self, #"<?xml version="1.0"?><html/>"#,
            "Decoding 'Page' failed: the body isn't JSON, but HTML.",
            contentType: "application/xhtml+xml"),
        Case(
            "plain text that starts with a number", Page.self, "404 page not found\n",
            "Decoding 'Page' failed: \(invalid)",
            contentType: "text/plain; charset=utf-8"),
        Case(
            "another text", Page.self, "OK",
            "Decoding 'Page' failed: the body isn't JSON.", contentType: nil),
        Case(
            "blanks", Page.self, " \r\n", "Decoding 'Page' failed: the body is blank."),
        Case(
            "a truncated object", Page.self, #"{"data":{"results":[{"id":1}"#,
            "Decoding 'Page' failed: the body was cut off."),
        Case(
            "an object truncated after a key", Page.self, #"{"data""#,
            "Decoding 'Page' failed: the body was cut off."),
        Case(
            "a truncated array", [Int].self, "[1,2,",
            "Decoding 'Array<Int>' failed: the body was cut off."),
        Case(
            "a truncated string", [String].self, #"["one","tw\"#,
            "Decoding 'Array<String>' failed: the body was cut off."),
        Case(
            "a truncated word", [Bool].self, "[tru",
            "Decoding 'Array<Bool>' failed: the body was cut off."),
        Case(
            "a truncated number", [Double].self, "[-1.",
            "Decoding 'Array<Double>' failed: the body was cut off."),
        Case(
            "text after the end", Hero.self, #"{"id":1} <br />"#,
            "Decoding 'Hero' failed: \(invalid)"),
        Case(
            "two values", Hero.self, "{\"id\":1}\n{\"id\":2}",
            "Decoding 'Hero' failed: \(invalid)"),
        Case(
            "a missing comma", Hero.self, #"{"id":1 "name":"A"}"#,
            "Decoding 'Hero' failed: \(invalid)"),
        Case(
            "single quotes", Hero.self, "{'id':1}",
            "Decoding 'Hero' failed: \(invalid)"),
        Case(
            "NaN", [Double].self, "[NaN]",
            "Decoding 'Array<Double>' failed: \(invalid)"),
        Case(
            "an unknown word", [Bool].self, "[yes]",
            "Decoding 'Array<Bool>' failed: \(invalid)"),
        Case(
            "an unknown escape", [String].self, #"["\x41"]"#,
            "Decoding 'Array<String>' failed: \(invalid)"),
        Case(
            "a line break in a string", [String].self, "[\"a\nb\"]",
            "Decoding 'Array<String>' failed: \(invalid)"),
        Case(
            "a byte order mark", Hero.self, "\u{FEFF}{\"id\":1",
            "Decoding 'Hero' failed: the body was cut off."),
        Case(
            "Latin-1", [String].self, Data([0x5B, 0x22, 0xE9, 0x22, 0x5D]),
            "Decoding 'Array<String>' failed: the body isn't JSON in UTF-8."),
        Case(
            "text that isn't UTF-8", String.self, Data([0xE9]),
            "Decoding 'String' failed: the text isn't UTF-8.", contentType: "text/plain"),
        Case(
            "513 levels", [Hero].self,
            String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
            "Decoding 'Array<Hero>' failed: \(invalid)"),
        Case(
            "512 levels", [Hero].self,
            String(repeating: "[", count: 512) + String(repeating: "]", count: 512),
            "Decoding 'Array<Hero>' failed at '[0]': expected an object but found an array."),
        Case(
            "JSON for a property list", Hero.self, #"{"id":1}"#,
            "Decoding 'Hero' failed: the body isn't a property list.",
            decoder: PropertyListDecoder()),
    ]

    @Test(arguments: values + invalidValues + bodies)
    func textsSayWhatWasExpectedAndFound(test: Case) throws {
        let error = try #require(test.error(test.response))
        #expect(error.description == "The server answered 200 for 'GET /v1'. \(test.text)")
        #expect(error.localizedDescription == "The response can't be read.")
    }

    #if os(Linux)
    /// Foundation on Linux calls such numbers invalid JSON, finds nothing for a `Decimal`, and gives the place of the
    /// object with an invalid date.
    static let casesOnLinux = [
        Case(
            "a fraction for an Int", Page.self, #"{"data":{"results":[{"id":1.5}]}}"#,
            "Decoding 'Page' failed: \(invalid)"),
        Case(
            "a number too large for an Int", Page.self,
            #"{"data":{"results":[{"id":99999999999999999999}]}}"#,
            "Decoding 'Page' failed: \(invalid)"),
        Case(
            "a negative number for a UInt", Item.self, #"{"count":-1}"#,
            "Decoding 'Item' failed: \(invalid)"),
        Case(
            "a comma before the end", Item.self, #"{"count":-1,}"#,
            "Decoding 'Item' failed: \(invalid)"),
        Case(
            "a malformed number", [Int].self, "[01]",
            "Decoding 'Array<Int>' failed: \(invalid)"),
        Case(
            "a number too large for a Double", Item.self, #"{"score":1e999}"#,
            "Decoding 'Item' failed: \(invalid)"),
        Case(
            "a string for a Decimal", Item.self, #"{"price":"9.99"}"#,
            "Decoding 'Item' failed at 'price': expected 'Decimal' but found something else."),
        Case(
            "another date format", Item.self, #"{"date":"28 Nov 2026"}"#,
            "Decoding 'Item' failed: a string isn't an ISO 8601 date.", decoder: isoDates),
    ]

    @Test(arguments: casesOnLinux) func textsOnLinux(test: Case) throws {
        let error = try #require(test.error(test.response))
        #expect(error.description == "The server answered 200 for 'GET /v1'. \(test.text)")
    }
    #endif

    /// The words of decoders, those of earlier versions on Apple platforms too.
    @Test(arguments: [
        ("Expected to decode Int but found a string/data instead.", "a string"),
        ("Expected to decode Int but found a number instead.", "a number"),
        ("Expected to decode Int but found number instead.", "a number"),
        ("Expected to decode Int but found an integer instead.", "a number"),
        ("Expected to decode Int but found bool instead.", "a boolean"),
        ("Expected to decode Int but found a dictionary instead.", "an object"),
        ("Expected to decode Int but found a null value instead.", "null"),
        ("Expected to decode Int but found a secret instead.", "something else"),
        ("", "something else"),
    ])
    func wordsOfDecodersAreKnown(words: String, found: String) throws {
        let context = DecodingError.Context(codingPath: [], debugDescription: words)
        let error = DecodingError.typeMismatch(Int.self, context)
        #expect(try text(of: error) == ": expected 'Int' but found \(found).")
    }

    @Test(arguments: [
        ("Parsed JSON number <1.5> does not fit in Int.", "the number doesn't fit its type"),
        (
            "Date string does not match format expected by formatter.",
            "the string isn't a date in the decoder's format"
        ),
        ("Cannot initialize Kind from invalid String value x", "no case has this raw value"),
        ("Cannot initialize x", "the value isn't valid"),
    ])
    func wordsAboutInvalidValuesAreKnown(words: String, fault: String) throws {
        let context = DecodingError.Context(codingPath: [], debugDescription: words)
        #expect(try text(of: DecodingError.dataCorrupted(context)) == ": \(fault).")
    }

    private func text(of error: any Error) throws -> Substring {
        let request = ServiceRequest(URLRequest(url: URL(fileURLWithPath: "/")))
        let response = ServiceResponse(request: request, statusCode: 200)
        let text = ServiceError.decoding(error, response, as: "Page").description
        return text[try #require(text.range(of: "failed")).upperBound...]
    }

    // MARK: - Secrets

    /// Bodies with a secret in each place that a text could quote.
    private static func bodies(with secret: String) -> [String] {
        [
            secret, "<\(secret)>", "\"\(secret)", "{\"\(secret)", "[\"\(secret)\" x]",
            "\"\(secret)\"", "[\"\(secret)\"]", "{\"\(secret)\":1}", "{\"\(secret)\":\"x\"}",
            "{\"id\":\"\(secret)\"}", "{\"data\":\"\(secret)\"}", "{\"data\":[\"\(secret)\"]}",
            "{\"data\":{\"results\":[{\"id\":\"\(secret)\"}]}}", "{\"kind\":\"\(secret)\"}",
            "{\"shape\":{\"\(secret)\":{}}}", "{\"date\":\"\(secret)\"}",
            "{\"url\":\"\(secret) \"}",
            "{\"uuid\":\"\(secret)\"}", "{\"price\":\"\(secret)\"}", "{\"tags\":{\"\(secret)\":1}}",
            "{\"names\":{\"\(secret)\":\"\(secret)\"}}", "\"t but found \(secret) instead.\"",
            "\"r \(secret)\"", "\"n \(secret)\"", "\"Cannot initialize \(secret) from invalid \"",
            "{\"id\":1}\(secret)", "{\"count\":-1,\"\(secret)\":0}", "[1\(secret)]", "tru\(secret)",
        ]
    }

    @Test func textsQuoteNothingOfAResponse() throws {
        let secret = canary("body")
        var count = 0
        for body in Self.bodies(with: secret) {
            let header = "\(canary("content type"))/html"
            let cases = [
                Case("", Page.self, body, "", contentType: header),
                Case("", Item.self, body, "", contentType: header, decoder: Self.isoDates),
                Case("", Item.self, body, "", decoder: PropertyListDecoder()),
                Case("", [String: [Int]].self, body, ""), Case("", Custom.self, body, ""),
                Case("", [Custom].self, body, ""), Case("", Int.self, body, ""),
                Case("", Item.Kind.self, body, ""), Case("", [UUID].self, body, ""),
            ]
            for error in cases.compactMap({ $0.error($0.response) }) {
                var dumped = ""
                dump(error, to: &dumped)
                let texts = [
                    error.description, error.localizedDescription, "\([error])", dumped,
                    String(reflecting: error),
                ]
                for text in texts {
                    #expect(!text.contains("canary"), "\(text)")
                }
                count += 1
            }
        }
        #expect(count > 200)
    }
}
