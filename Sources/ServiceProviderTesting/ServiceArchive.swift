// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An HTTP Archive (HAR 1.2), as ``ServiceRecorder`` writes it and ``ServiceReplay`` reads it.
nonisolated struct ServiceArchive: Decodable {
    /// The text of an archive before its entries.
    static let start =
        #"{"log":{"version":"1.2","creator":{"name":"ServiceProvider","version":"1"},"entries":["#
    /// The text of an archive after its entries.
    static let end = "\n]}}"

    let log: Log

    struct Log: Decodable { let entries: [Nothing] }

    /// An entry is decoded on its own, because all together may not fit into memory.
    struct Nothing: Decodable {}

    struct Entry: Codable {
        let startedDateTime: Member<String>?
        let time: Member<Double>?
        let timings: Member<[String: Double]>?
        var cache: Member<[String: String]>? = Member([:])
        let request: Request
        let response: Response?
    }

    struct Request: Codable {
        let method, url: Member<String>
        var httpVersion: Member<String>? = Member("HTTP/1.1")
        var headers, queryString, cookies: Member<[Field]>?
        var headersSize: Member<Int>? = Member(-1)
        var bodySize: Member<Int>?
        var postData: Body?
        var comment: Member<String>?
    }

    struct Response: Codable {
        var status: Member<Double>?
        var statusText: Member<String>? = Member("")
        var httpVersion: Member<String>? = Member("HTTP/1.1")
        var headers, cookies: Member<[Field]>?
        var content: Body?
        var redirectURL: Member<String>?
        var headersSize: Member<Int>? = Member(-1)
        var bodySize: Member<Int>? = Member(-1)
        var _error: Member<String>?
    }

    /// The body of a request or a response.
    struct Body: Codable {
        var size: Member<Double>?
        var mimeType, text, encoding, comment: Member<String>?
        /// The name of a file that has the body, as Playwright writes it.
        var _file: Member<String>?
    }

    /// A header field, a query item or a cookie.
    struct Field: Codable {
        let name, value: Member<String>

        init(_ name: String, _ value: String) {
            self.name = Member(name)
            self.value = Member(value)
        }
    }

    /// A value that may be invalid. Throws only when it's used: other programs write invalid
    /// members, but a replay doesn't need them all.
    struct Member<Value: Codable>: Codable {
        private let result: Result<Value, any Error>

        init(_ value: Value) { result = .success(value) }

        init(from decoder: any Decoder) {
            // JSONDecoder's own error doesn't name the member if a text contains half a character or a
            // number is out of range.
            let place = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "")
            result = Result { try decoder.singleValueContainer().decode(Value.self) }
                .mapError { $0 is DecodingError ? $0 : DecodingError.dataCorrupted(place) }
        }

        func encode(to encoder: any Encoder) throws { try get().encode(to: encoder) }

        func get() throws -> Value { try result.get() }
    }
}
