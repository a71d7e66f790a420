// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

@Suite struct EndpointParameterTests {
    private func query(_ parameters: [String: Any]) async throws -> String {
        try await Endpoint(parameters: parameters).query()
    }

    private func json(_ parameters: [String: Any]) async throws -> String {
        try await Endpoint(method: .post, parameters: parameters).bodyText()
    }

    @Test func keysAreSorted() async throws {
        #expect(try await query(["b": 3, "a": 2, "B": 1, "a1": 4]) == "B=1&a=2&a1=4&b=3")
        let nested: [String: Any] = [
            "b": ["z": 1, "a": ["y": 2, "x": 3]] as [String: Any], "a": 6,
        ]
        #expect(try await json(nested) == #"{"a":6,"b":{"a":{"x":3,"y":2},"z":1}}"#)
    }

    @Test func valuesKeepTheirTypesInJSON() async throws {
        let parameters: [String: Any] = ["a": "1", "b": 1, "c": true, "d": 0.5, "e": Int64.max]
        let text = #"{"a":"1","b":1,"c":true,"d":0.5,"e":9223372036854775807}"#
        #expect(try await json(parameters) == text)
    }

    @Test func numbersAndBooleansAreTexts() async throws {
        #expect(try await query(["a": 1, "b": true, "c": 0.5]) == "a=1&b=true&c=0.5")
        #expect(try await query(["n": 9_007_199_254_740_993]) == "n=9007199254740993")
    }

    @Test func allButUnreservedCharactersAreEscaped() async throws {
        let texts: KeyValuePairs = [
            "a b": "a%20b", "a+b": "a%2Bb", "a&b": "a%26b", "a=b": "a%3Db", "%25": "%2525",
            "caf\u{E9}": "caf%C3%A9", "e\u{301}": "e%CC%81", "\r\n": "%0D%0A", "-._~": "-._~",
            "https://a.com/?b=1#c": "https%3A%2F%2Fa.com%2F%3Fb%3D1%23c", "😃": "%F0%9F%98%83",
            "!$&'()*+,;=:@/?[]": "%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%5B%5D",
        ]
        for (text, encoded) in texts {
            #expect(try await query([text: text]) == "\(encoded)=\(encoded)")
        }
    }

    @Test func arraysKeepTheirOrder() async throws {
        #expect(try await query(["a": ["y", "x"]]) == "a%5B%5D=y&a%5B%5D=x")
        #expect(try await json(["a": ["y", "x"]]) == #"{"a":["y","x"]}"#)
    }

    @Test func dictionariesAreWrittenInBrackets() async throws {
        let parameters = ["filter": ["to": [2], "from": [1, 3]]]
        let text = "filter%5Bfrom%5D%5B%5D=1&filter%5Bfrom%5D%5B%5D=3&filter%5Bto%5D%5B%5D=2"
        #expect(try await query(parameters) == text)
        #expect(try await json(parameters) == #"{"filter":{"from":[1,3],"to":[2]}}"#)
    }

    @Test func aNilDropsItsKey() async throws {
        let none: Int? = nil
        let parameters: [String: Any] = ["a": none as Any, "b": Optional(1) as Any]
        #expect(try await query(parameters) == "b=1")
        #expect(try await json(parameters) == #"{"b":1}"#)
    }

    @Test func nullIsOnlyInJSON() async throws {
        #expect(try await query(["a": NSNull(), "b": 1]) == "b=1")
        #expect(try await json(["a": NSNull()]) == #"{"a":null}"#)
    }

    @Test func rawValuesDatesURLsAndUUIDsAreTexts() async throws {
        enum Order: String {
            case ascending = "asc"
        }
        enum Level: Int {
            case high = 3
        }
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let parameters: [String: Any] = [
            "order": Order.ascending, "level": Level.high, "levels": [Level.high],
            "method": ServiceMethod.get, "id": id, "some": Optional(Order.ascending) as Any,
            "date": Date(timeIntervalSince1970: 1_795_737_600),
            "url": try #require(URL(string: "https://a.com/?b=1")),
        ]
        let fields = [
            "date=2026-11-27T00%3A00%3A00Z", "id=\(id)", "level=3", "levels%5B%5D=3", "method=GET",
            "order=asc", "some=asc", "url=https%3A%2F%2Fa.com%2F%3Fb%3D1",
        ]
        #expect(try await query(parameters) == fields.joined(separator: "&"))
        let members = [
            #""date":"2026-11-27T00:00:00Z""#, "\"id\":\"\(id)\"", #""level":3"#, #""levels":[3]"#,
            #""method":"GET""#, #""order":"asc""#, #""some":"asc""#, #""url":"https://a.com/?b=1""#,
        ]
        #expect(try await json(parameters) == "{" + members.joined(separator: ",") + "}")
    }

    /// Formatting a date traps outside of these years.
    @Test func datesHaveYearsOfFourDigits() async throws {
        #expect(try await query(["a": Date.distantPast]) == "a=0001-01-01T00%3A00%3A00Z")
        let last = Date(timeIntervalSince1970: 253_402_300_799)
        #expect(try await query(["a": last]) == "a=9999-12-31T23%3A59%3A59Z")
        for seconds in [-62_135_769_601, 253_402_300_800, 1e20, -1e20, .infinity, .nan] {
            let date = Date(timeIntervalSince1970: seconds)
            for method in [ServiceMethod.get, .post] {
                let endpoint = Endpoint(method: method, parameters: ["a": date])
                #expect(await endpoint.invalidPart() == .parameter)
            }
        }
    }

    /// They come from Objective-C and `JSONSerialization`.
    @Test func numbersOfFoundationKeepTheirTypes() async throws {
        let parameters: [String: Any] = [
            "a": NSNumber(value: true), "b": NSNumber(value: 1), "c": NSNumber(value: 0.5),
            "d": [NSNumber(value: false)],
        ]
        #expect(try await query(parameters) == "a=true&b=1&c=0.5&d%5B%5D=false")
        #expect(try await json(parameters) == #"{"a":true,"b":1,"c":0.5,"d":[false]}"#)
        let infinite = Endpoint(parameters: ["a": NSNumber(value: Double.infinity)])
        #expect(await infinite.invalidPart() == .parameter)
    }

    @Test func otherNumbersAreSent() async throws {
        let parameters: [String: Any] = [
            "a": UInt8(1), "b": Float(0.1), "c": Int64.min, "d": Decimal(string: "1.5") as Any,
            "e": CGFloat(2.5),
        ]
        #expect(try await query(parameters) == "a=1&b=0.1&c=-9223372036854775808&d=1.5&e=2.5")
        let text = #"{"a":1,"b":0.1,"c":-9223372036854775808,"d":1.5,"e":2.5}"#
        #expect(try await json(parameters) == text)
    }

    @Test func nestedNilsAreDropped() async throws {
        let parameters: [String: Any] = [
            "a": [1, nil, 2] as [Int?], "b": ["c": nil] as [String: Int?],
        ]
        #expect(try await query(parameters) == "a%5B%5D=1&a%5B%5D=2")
        #expect(try await json(parameters) == #"{"a":[1,2],"b":{}}"#)
    }

    @Test func emptyParametersLeaveNoQuestionMark() async throws {
        let empty: [[String: Any]] = [[:], ["a": [Int]()], ["a": [String: Int]()]]
        for parameters in empty {
            #expect(try await Endpoint(parameters: parameters).url() == "https://example.com/api")
        }
        #expect(try await json([:]) == "{}")
    }

    @Test func theMethodDecidesWhereParametersGo() async throws {
        for method in [ServiceMethod.get, .head, .delete] {
            let request = try await Endpoint(method: method, parameters: ["a": 1]).request()
            #expect(request.url?.query == "a=1")
            #expect(request.httpBody == nil)
        }
        for method in [ServiceMethod.post, .put, .patch] {
            let request = try await Endpoint(method: method, parameters: ["a": 1]).request()
            #expect(request.url?.query == nil)
            #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
    }

    @Test func parametersOfARequestWithABodyAreItsQuery() async throws {
        let body = ServiceBody.data(Data("b".utf8), contentType: "text/plain")
        let endpoint = Endpoint(method: .post, parameters: ["a": 1], body: body)
        #expect(try await endpoint.url() == "https://example.com/api?a=1")
        #expect(try await endpoint.bodyText() == "b")
    }

    @Test func textsRoundTripThroughJSON() async throws {
        for text in ["\"", "\\", "a\nb\r\t", "\u{0}", "\u{2028}", "日本語", "</script>", "\u{301}\""] {
            let body = try await json(["k": text])
            let parsed = try JSONDecoder().decode([String: String].self, from: Data(body.utf8))
            #expect(parsed["k"].map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test func otherValuesAreErrorsThatNameKeyAndType() async throws {
        let values: [(Any, String)] = [
            (Double.nan, "Double"), (Double.infinity, "Double"), (Float.nan, "Float"),
            ({ (_: Int) in 1 }, "->"), ((1, 2), "Int"), (0..<3, "Range<Int>"), ([1: 2], "Int"),
        ]
        for (value, type) in values {
            for method in [ServiceMethod.get, .post] {
                let endpoint = Endpoint(method: method, parameters: ["my key": value, "a": 1])
                let error = try #require(await endpoint.failure())
                #expect(await endpoint.invalidPart() == .parameter)
                #expect("\(error)".contains("'my key'"))
                #expect("\(error)".contains(type))
            }
        }
    }

    @Test func otherValuesAreFoundInNestedParameters() async {
        let list: [Any] = [1, ["x": Double.nan]]
        for method in [ServiceMethod.get, .post] {
            let endpoint = Endpoint(method: method, parameters: ["filter": ["list": list]])
            #expect(await endpoint.invalidPart() == .parameter)
        }
    }

    @Test func deepNestingIsRefused() async {
        for depth in [100, 10_000] {
            var list: Any = 1
            var object: Any = 1
            for _ in 0..<depth {
                list = [list]
                object = ["k": object]
            }
            for value in [list, object] {
                for method in [ServiceMethod.get, .post] {
                    let endpoint = Endpoint(method: method, parameters: ["deep": value])
                    #expect(await endpoint.invalidPart() == .parameter)
                }
            }
        }
    }

    @Test func fiftyLevelsAreSent() async throws {
        var value: Any = 1
        for _ in 0..<50 {
            value = [value]
        }
        let brackets = String(repeating: "%5B%5D", count: 50)
        #expect(try await query(["a": value]) == "a\(brackets)=1")
    }

    @Test func manyParametersAreSent() async throws {
        let keys = (0..<10_000).map { ("key\($0)", $0 as Any) }
        #expect(try await query(Dictionary(uniqueKeysWithValues: keys)).count > 100_000)
        #expect(try await json(["list": Array(0..<20_000)]).count > 100_000)
    }
}
