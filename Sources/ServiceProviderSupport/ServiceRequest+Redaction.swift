// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// The value of a header field of this call or its response; `***` unless the field is known to be harmless.
    ///
    /// In fields with a URL, such as `Location`, only the secrets of the URL are hidden: see `redacting(url:)`. A field
    /// in `secretNames` is always hidden.
    public func redacting(_ value: String, ofHeader name: String) -> String {
        // A name of a harmless field is short. Others take long to compare.
        guard name.utf8.count < 64, !isSecret(name) else { return "***" }
        let field = name.lowercased()
        switch field {
        case "location", "content-location", "origin", "referer": return redacting(url: value)
        case "link": return redacting(links: value)
        case _ where Self.harmlessFields.contains(field): return value
        case _ where Self.harmlessStarts.contains(where: field.hasPrefix): return value
        default: return "***"
        }
    }

    /// A body of this call or its response as text, with `***` in place of its secrets.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - type: The value of `Content-Type`.
    /// - Returns: Nil unless the body is JSON or a form (`application/x-www-form-urlencoded`): other bodies may hold
    ///   secrets that no name shows. Also nil for invalid JSON, and for a charset that
    ///   `ServiceResponse.textInCharset` doesn't know.
    public func redacting(_ body: Data, ofType type: String?) -> String? {
        let type = ServiceMediaType(type)
        let isForm = type.name == "application/x-www-form-urlencoded"
        guard type.isJSON || isForm, let encoding = type.encoding else { return nil }
        guard let text = String(data: body, encoding: encoding) else { return nil }
        let bytes = Array(text.utf8)[...]
        if isForm {
            return String(decoding: redacting(parameters: bytes), as: UTF8.self)
        }
        return redacting(json: bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// JSON with `***` in place of secret values. Nil if it isn't JSON.
    ///
    /// - Parameter depth: How many texts the JSON is nested in.
    func redacting(json: ArraySlice<UInt8>, depth: Int = 0) -> [UInt8]? {
        var secrets = SecretJSON(request: self, depth: depth)
        return secrets.redacted(json)
    }

    /// Adds the secret names of other requests of this call, such as those before a redirect.
    package func withSecretNames(of others: [ServiceRequest]) -> ServiceRequest {
        var request = self
        for other in others {
            request.secretNames.formUnion(other.secretNames)
        }
        return request
    }

    private static let harmlessStarts = [
        "accept", "access-control-", "content-", "if-", "ratelimit", "x-rate",
    ]
    private static let harmlessFields: Set = [
        "age", "allow", "alt-svc", "cache-control", "connection", "date", "deprecation", "etag",
        "expect", "expires", "host", "keep-alive", "last-modified", "prefer", "priority", "range",
        "retry-after", "server", "strict-transport-security", "sunset", "te", "trailer",
        "traceparent", "tracestate", "transfer-encoding", "upgrade", "user-agent", "vary", "via",
        "x-request-id",
    ]

    /// Hides secrets in the URL of each `<…>` of a `Link` field, and around it.
    private func redacting(links: String) -> String {
        let links = links.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        let shown = links.map { link in
            let parts = link.split(separator: UInt8(ascii: ">"), omittingEmptySubsequences: false)
            return parts.map { redacting(url: String(Substring($0))) }.joined(separator: ">")
        }
        return shown.joined(separator: "<")
    }
}

/// Replaces the values of JSON members with a secret name by `"***"`. The rest of the text stays as it is.
///
/// Takes linear time, and has no recursion that deep JSON could exhaust.
private nonisolated struct SecretJSON {
    private static let stars = Array("\"***\"".utf8)[...]
    /// How values start. A zero stands for numbers, true, false and null.
    private static let values = "{[\"0"

    /// Decides which names are secret.
    let request: ServiceRequest
    /// How many texts the JSON is nested in.
    let depth: Int
    var shown: [UInt8] = []
    /// How the next token may start.
    var expected = values
    /// The brackets that close the open lists and objects, the innermost one last.
    var open: [Unicode.Scalar] = []
    /// Whether the last name is secret, and its value is next.
    var isSecret = false
    /// The place of the secret value that is being read, and how many lists and objects are around it.
    var hidden: (start: Int, level: Int)?

    /// A text without its secrets; nil if it isn't JSON, or is cut off.
    mutating func redacted(_ json: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = json
        while let first = rest.first {
            guard let token = Self.token(in: rest) else { return nil }
            rest = rest.dropFirst(token.count)
            let isLiteral = token.allSatisfy { "+-.0123456789Eaeflnrstu".utf8.contains($0) }
            let kind = isLiteral ? "0" : Unicode.Scalar(first)
            if " \t\r\n".unicodeScalars.contains(kind) {
                shown += token
            } else if expected.unicodeScalars.contains(kind) {
                take(token, kind)
            } else {
                return nil
            }
        }
        guard expected.isEmpty else { return nil }
        return shown
    }

    /// The next token; nil for a string that is cut off or has control characters.
    private static func token(in json: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard json.first == UInt8(ascii: "\"") else {
            let literal = json.prefix { !" \t\r\n{}[]:,\"".utf8.contains($0) }
            return json.prefix(max(literal.count, 1))
        }
        var isEscaped = true
        for (index, byte) in zip(json.indices, json) {
            if byte == UInt8(ascii: "\""), !isEscaped {
                return json[...index]
            }
            guard byte >= 0x20 else { return nil }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return nil
    }

    private mutating func take(_ token: ArraySlice<UInt8>, _ kind: Unicode.Scalar) {
        if isSecret, kind != ":" {
            hidden = hidden ?? (shown.count, open.count)
            isSecret = false
        }
        shown += redacted(token)
        switch kind {
        case "\"" where !expected.contains("["):
            isSecret = Self.text(of: token).map { request.isSecret($0) } ?? true
            expected = ":"
        case "," where open.last == "}":
            expected = "\""
        case ",", ":":
            expected = Self.values
        case "{":
            open.append("}")
            expected = "\"}"
        case "[":
            open.append("]")
            expected = Self.values + "]"
        case "}", "]":
            open.removeLast()
            endValue()
        default:
            endValue()
        }
    }

    private mutating func endValue() {
        if let (start, level) = hidden, level == open.count {
            shown.replaceSubrange(start..., with: Self.stars)
            hidden = nil
        }
        expected = open.last.map { ",\($0)" } ?? ""
    }

    /// Hides secrets in a token that contains a URL, a form, JSON or GraphQL.
    private func redacted(_ token: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard token.first == UInt8(ascii: "\"") else { return token }
        guard token.contains(UInt8(ascii: "\\")) else {
            let text = token.dropFirst().dropLast()
            guard !request.hasSecretArgument(text) else { return Self.stars }
            let url = request.redacting(url: text, depth: depth)
            return token.prefix(1) + url + token.suffix(1)
        }
        let hasSecret = Self.text(of: token).map { request.hasSecret($0, depth: depth) } ?? true
        return hasSecret ? Self.stars : token
    }

    /// The content of a string; nil if it isn't valid Unicode.
    private static func text(of string: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard string.contains(UInt8(ascii: "\\")) else { return string.dropFirst().dropLast() }
        let list = Data("[".utf8) + string + Data("]".utf8)
        let texts = ServiceJSON.value(list) as? [String]
        return texts?.first.map { Array($0.utf8)[...] }
    }
}
