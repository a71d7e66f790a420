// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Replaces the secrets in a text of this call or its response with `***`.
    ///
    /// Secrets are user info in URLs, values with a secret name in a URL, a form or JSON (nested as
    /// well), and every value that is secret in this request, because servers repeat values of the request.
    /// A text in which secrets can't be found, such as JSON that is cut off, is replaced by its size.
    /// Each call of this method collects the secrets again: for several texts, ``ServiceRedactor``
    /// collects them once.
    public func redacting(_ text: String) -> String { ServiceRedactor(self).redacting(text) }

    /// Replaces the secrets in the value of a header field of this call or its response with `***`.
    ///
    /// Credentials keep their scheme: `Bearer ***`.
    public func redacting(_ value: String, ofHeader name: String) -> String {
        ServiceRedactor(self).redacting(value, ofHeader: name)
    }

    /// Returns a body of this call or its response as text, with its secrets replaced by `***`.
    ///
    /// - Returns: Nil unless the body is JSON, a form or other text in a charset that
    ///   `ServiceResponse.text` knows. XML and multipart bodies are left out, because secrets can't be
    ///   found in them, and so is invalid JSON that has a colon.
    public func redacting(_ body: Data, ofType type: String?) -> String? {
        ServiceRedactor(self).redacting(body, ofType: type)
    }
}

nonisolated extension ServiceMediaType {
    /// Whether a body of this type is text in which secrets can be found: JSON, a form, or plain text,
    /// but not XML.
    package var isReadable: Bool {
        name.hasPrefix("text/") && !name.contains("xml")
            || name.contains("json") || name.contains("urlencoded")
    }

    /// Whether a body of this type is a picture, a sound or other binary data.
    package var isBinary: Bool {
        ["image/", "audio/", "video/", "font/"].contains { name.hasPrefix($0) }
            && !name.hasSuffix("xml")
            || name.contains("octet-stream")
    }
}

/// Replaces the secrets of one call in any number of texts. Takes time linear in their length.
public nonisolated struct ServiceRedactor: CustomStringConvertible, CustomReflectable {
    private let requests: [ServiceRequest]
    private let values: ServiceSecretValues

    /// Collects the secrets of requests that belong to one call, such as the first and the last one.
    public init(_ requests: ServiceRequest...) {
        self.init(requests)
    }

    /// Collects the secrets of requests that belong to one call.
    public init(_ requests: [ServiceRequest]) {
        // Redirects repeat names and bodies.
        var (names, bodies) = (Set<Set<String>>(), Set<Data>())
        self.requests = requests.filter { names.insert($0.secretNames).inserted }
        let texts = requests.flatMap { request in
            var request = request
            let isNew = bodies.insert(request.urlRequest.httpBody ?? Data()).inserted
            if !isNew, request.secretNames == requests[0].secretNames {
                request.urlRequest.httpBody = nil
            }
            return request.secretValues
        }
        values = ServiceSecretValues(ServiceRequest.unique(texts))
    }

    /// The requests, without their secrets.
    public var description: String { "\(requests)" }

    /// Empty, because `dump` would print the secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Whether a name is secret in one of the requests: see `ServiceRequest.isSecret(_:)`.
    public func isSecret(_ name: String) -> Bool { requests.contains { $0.isSecret(name) } }

    /// Replaces the secrets in a text with `***`: see `ServiceRequest.redacting(_:)`.
    public func redacting(_ text: String) -> String {
        redacted(text) ?? "(\(text.utf8.count) bytes that are not shown)"
    }

    /// The text without its secrets; nil if they can't be found, or if it should be JSON and isn't.
    package func redacted(_ text: String, isJSON: Bool = false) -> String? {
        var parser = ServiceSecretParser(values, isSecret)
        return parser.redacted(Array(text.utf8), isJSON: isJSON).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Replaces the secrets in the value of a header field with `***`.
    public func redacting(_ value: String, ofHeader name: String) -> String {
        guard isSecret(name) else { return redacting(value) }
        let scheme = String(Substring(value.unicodeScalars.prefix { $0 != " " }))
        return ServiceRequest.isScheme(scheme) ? scheme + " ***" : "***"
    }

    /// Returns a body as text without its secrets: see `ServiceRequest.redacting(_:ofType:)`.
    public func redacting(_ body: Data, ofType type: String?) -> String? {
        let type = ServiceMediaType(type)
        let encoding = type.encoding ?? .utf8
        guard type.isReadable, !body.contains(0),
            let text = encoding == .utf8
                ? String(utf8: body) : String(data: body, encoding: encoding)
        else { return nil }
        // Without a colon, it has no names.
        let isJSON = type.isJSON && text.utf8.contains(UInt8(ascii: ":"))
        return redacted(text, isJSON: isJSON)
    }
}

nonisolated extension ServiceRequest {
    fileprivate static func isScheme(_ word: String) -> Bool {
        word.utf8.count < 7 && ["basic", "bearer", "digest", "dpop"].contains(word.lowercased())
    }

    /// The values that are secret in this request. Values of up to five characters are left out, because
    /// they occur in every text.
    fileprivate var secretValues: [String] {
        var values: [String] = []
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] where isSecret(name) {
            let value = value.unicodeScalars
            let words =
                value.split { " ;,".unicodeScalars.contains($0) }
                + value.split { " =;,".unicodeScalars.contains($0) }
            for word in words + [value[...]] {
                values.append(String(word))
                // A server knows Basic credentials as plain text.
                if let plain = Data(base64Encoded: String(word)) {
                    values.append(String(decoding: plain, as: UTF8.self))
                }
            }
        }
        let body = urlRequest.httpBody ?? Data()
        let texts = [
            Data((urlRequest.url?.absoluteString ?? "").utf8),
            // Only text is searched as a whole.
            body.contains(0) ? body.prefix(65_536) : body,
        ]
        var parser = ServiceSecretParser(ServiceSecretValues([]), isSecret)
        var unclear = texts.filter { parser.redacted(Array($0)) == nil }
        let type = ServiceMediaType(urlRequest.value(forHTTPHeaderField: "Content-Type"))
        if !type.isReadable, !type.isBinary { unclear.append(Self.contents(body.prefix(65_536))) }
        // Secrets can't be found in these texts, so each of their words may be one.
        let ends = "\t\n\r \"&',:;<=>[\\]{}".utf8
        let words = unclear.joined(separator: Data([0x20])).split { ends.contains($0) }
        values += words.map { String(decoding: $0, as: UTF8.self) }
        var secrets: [String] = []
        for value in Self.unique(values + parser.secrets) {
            // A server may repeat it with the escapes of JSON.
            let escaped = String((ServiceJSON.text(of: value) ?? value).dropFirst().dropLast())
            let slashes = escaped.replacingOccurrences(of: "/", with: "\\/")
            secrets += [value, ServicePercentDecoding.decode(value), escaped, slashes]
            secrets += value.unicodeScalars.split(separator: ":").map { String($0) }
        }
        return Self.unique(secrets).filter { $0.count > 5 && !Self.isScheme($0) }
    }

    /// Removes duplicates. Bytes are compared: to hash a string with a long run of combining marks takes quadratic
    /// time, and a server may write "é" as one character or as two.
    fileprivate static func unique(_ texts: [String]) -> [String] {
        Set(texts.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A body without the lines of a multipart body that hold no values: boundaries and headers.
    private static func contents(_ body: Data) -> Data {
        let lines = body.split(separator: UInt8(ascii: "\n")).filter {
            !$0.starts(with: "--".utf8) && !$0.starts(with: "Content-".utf8)
        }
        return Data(lines.joined(separator: Data([0x20])))
    }
}
