// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// A sentence for people: what failed, for which request, and the cause last. One line of at most 400
    /// characters, redacted and without control characters.
    public var description: String {
        let line = sentence.components(separatedBy: Self.unprintable).joined(separator: " ")
        return String(line.unicodeScalars.prefix(400))
    }

    private static let unprintable = CharacterSet.controlCharacters.union(.newlines)

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Empty, because `dump` would print values that a decoder quotes from the response.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private var sentence: String {
        switch self {
        case .invalidRequest(let part, let reason):
            return "Invalid \(part.rawValue): " + reason + (reason.hasSuffix(".") ? "" : ".")
        case .cancelled: return "The request was cancelled."
        case .transport(let error): return Self.sentence(for: error)
        case .unacceptableStatus(let response):
            return Self.answer(response) + ": " + response.explanation
        case .emptyResponse(let response): return Self.answer(response) + " without a body."
        case .decoding(let error, let response, let type):
            return Self.sentence(for: error, response, type)
        case .interceptor(let error): return "The call failed: " + error.localizedDescription
        }
    }

    private static func answer(_ response: ServiceResponse) -> String {
        "The server answered \(response.statusCode) for '\(response.shownRequest)'"
    }

    private static func sentence(
        for error: any Error, _ response: ServiceResponse, _ type: String
    ) -> String {
        var (path, words): ([any CodingKey], String)
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            (path, words) = (context.codingPath + [key], "the value is missing.")
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            (path, words) = (context.codingPath, context.debugDescription)
        case DecodingError.dataCorrupted(let context):
            (path, words) = (context.codingPath, context.debugDescription)
            // A decoder may quote the value. On Linux, 1.5 for an `Int` is called invalid JSON.
            if !path.isEmpty { words = "the value isn't valid." }
            if words == "The given data was not valid JSON." {
                words = "the body isn't valid JSON, or a number in it doesn't fit its type."
            }
        default:
            words = response.redacted(error.localizedDescription)
            return "The response to '\(response.shownRequest)' was rejected: \(words)"
        }
        let place = path.isEmpty ? "" : " at '\(response.redacted(text(of: path)))'"
        return "Decoding '\(type)' failed\(place): \(response.redacted(words))"
    }

    private static func sentence(for error: URLError) -> String {
        let failing = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let url = failing.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        var (host, request) = ("The host", "The request")
        // With brackets if it's an address of IPv6.
        if let name = url?.host {
            let shown = " '" + name + (url?.port.map { ":\($0)" } ?? "") + "'"
            (host, request) = (host + shown, request + " to" + shown)
        }
        let event =
            switch error.code {
            case .notConnectedToInternet: "There is no network connection"
            case .cannotConnectToHost: host + " refused the connection or can't be reached"
            case .cannotFindHost: host + " was not found"
            case .timedOut: request + " timed out"
            case .networkConnectionLost: request + " lost its connection"
            case _ where error.code.rawValue <= -3000: "The file can't be written"
            default: request + " failed"
            }
        let cause = error.userInfo[NSLocalizedDescriptionKey].map { ": \($0)" } ?? ""
        return event + " (URLError \(error.code.rawValue))" + cause
    }
}

nonisolated extension ServiceResponse {
    /// A text without the secrets of the requests.
    fileprivate func redacted(_ text: String, separator: String = " ") -> String {
        let texts = Set((earlierRequests + [request]).flatMap(\.sentTexts))
        return ServiceRequest.redacted(text, texts, separator)
    }

    /// The last request. After a redirect, a server has chosen its path, and may repeat a secret in it.
    fileprivate var shownRequest: String {
        earlierRequests.isEmpty ? "\(request)" : redacted("\(request)", separator: "/")
    }

    /// The server's message, or the meaning of the status.
    fileprivate var explanation: String {
        if (300..<400).contains(statusCode), let location = header("Location") {
            let url = redacted(ServiceRequest.redactedURL(location), separator: "/")
            return "the redirect to " + (url.isEmpty ? "another URL" : "'\(url)'")
                + " isn't followed."
        }
        let isText = ServiceMediaType(header("Content-Type")).name == "text/plain"
        let text = isText ? String(decoding: data.prefix(4_096), as: UTF8.self) : ""
        // A longer body isn't a message, and takes long to parse.
        let json = data.count <= 65_536 ? try? JSONSerialization.jsonObject(with: data) : nil
        let message = Self.message(in: json ?? text)
        return message.map { redacted($0) }
            ?? HTTPURLResponse.localizedString(forStatusCode: statusCode)
    }

    /// The first message in JSON, at most eight levels deep: problem details (RFC 9457), OAuth, other common APIs.
    private static func message(in json: Any, depth: Int = 0, isErrors: Bool = false) -> String? {
        if let text = json as? String {
            return text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : text
        }
        guard depth < 8 else { return nil }
        for element in json as? [Any] ?? [] {
            if let text = message(in: element, depth: depth + 1) { return text }
        }
        let members = json as? [String: Any] ?? [:]
        let known = [
            "detail", "message", "error_description", "status_message", "error", "errors", "title",
            "status",
        ]
        // Other names are those of fields, as in {"errors": {"email": ["is taken"]}}.
        let fields = isErrors ? members.keys.filter { !known.contains($0) }.sorted() : []
        for name in known + fields {
            guard let member = members[name],
                let text = message(in: member, depth: depth + 1, isErrors: name == "errors")
            else { continue }
            return known.contains(name) ? text : "\(name): \(text)"
        }
        return nil
    }
}

nonisolated extension ServiceRequest {
    /// The texts that may have secrets: user info, query, body, and headers.
    fileprivate var sentTexts: [[UInt8]] {
        let url = URLComponents(string: urlRequest.url?.absoluteString ?? "")
        let parts = [
            url?.percentEncodedUser, url?.percentEncodedPassword, url?.percentEncodedQuery,
        ]
        var texts = parts.compactMap { $0.map { Array($0.utf8) } }
        // A longer body takes long to search.
        texts.append(Array((urlRequest.httpBody ?? Data()).prefix(65_536)))
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] where !Self.isHarmless(name) {
            texts.append(Array(value.utf8))
            // A server knows Basic credentials as plain text.
            for word in value.utf8.split(separator: UInt8(ascii: " ")) {
                if let plain = Data(base64Encoded: Data(word)) { texts.append(Array(plain)) }
            }
        }
        return texts
    }

    /// The start of a text from a server or a decoder, with `***` in place of words that may be secret: those in
    /// ``sentTexts``, those that contain the start of a value from there, and those with "=" or "@".
    fileprivate static func redacted(
        _ text: String, _ sentTexts: Set<[UInt8]>, _ separator: String
    ) -> String {
        var (sent, starts) = (Data(), Set<UInt64>())
        for text in sentTexts {
            for form in forms(of: String(decoding: text, as: UTF8.self)) {
                sent.append(UInt8(ascii: " "))
                sent += decomposed(form)
                starts.formUnion(startsOfValues(form))
            }
        }
        let isSent = { (text: String) in sent.range(of: decomposed(text.lowercased())) != nil }
        var (shown, isSecret) = ([String](), false)
        for part in String(text.unicodeScalars.prefix(500)).components(separatedBy: separator) {
            // After a secret word, redact short words too: a secret may contain spaces.
            let shortest = isSecret ? 1 : 6
            isSecret = Array(part.lowercased().utf8).withUnsafeBytes { bytes in
                bytes.indices.dropLast(5).contains { starts.contains(six(bytes, $0)) }
            }
            // Check the whole part too: punctuation may split a password into short words.
            let whole = part.trimmingCharacters(in: separators)
            for word in part.components(separatedBy: separators) + [whole]
            where word.utf8.count >= shortest {
                // Names of parameters aren't secret.
                if isSent(word), !isSent(word + "="), !isSent("\"\(word)\":") { isSecret = true }
                if word.utf8.contains(where: "=@".utf8.contains) { isSecret = true }
            }
            shown.append(isSecret ? "***" : part)
        }
        return shown.joined(separator: separator)
    }

    /// A text in lower case: as it was sent, and with the escapes of URLs and JSON decoded, as servers repeat it.
    private static func forms(of text: String) -> [String] {
        var forms = [text]
        if text.utf8.contains(UInt8(ascii: "%")) {
            let bytes = unescaped(Array(text.utf8), Array("%".utf8), digits: 2)
            forms.append(String(decoding: bytes, as: UTF8.self))
        }
        if text.utf8.contains(UInt8(ascii: "\\")) {
            var units = unescaped(Array(text.utf16), Array("\\u".utf16), digits: 4)
            // Those in front of quotes and slashes.
            units.removeAll { $0 == UInt8(ascii: "\\") }
            forms.append(String(decoding: units, as: UTF16.self))
        }
        return forms.map { $0.lowercased() }
    }

    /// Decodes escapes: a mark, and a number of hexadecimal digits. A mark without them stays.
    private static func unescaped<Unit: FixedWidthInteger>(
        _ text: [Unit], _ mark: [Unit], digits: Int
    ) -> [Unit] {
        var (plain, index) = ([Unit](), 0)
        while index < text.count {
            let isMark = text[index...].starts(with: mark)
            let escape = isMark ? text[(index + mark.count)...].prefix(digits) : []
            let values = escape.compactMap {
                UInt8(exactly: $0).flatMap { Unit(String(UnicodeScalar($0)), radix: 16) }
            }
            let isEscape = isMark && values.count == digits
            plain.append(isEscape ? values.reduce(0) { $0 << 4 | $1 } : text[index])
            index += isEscape ? mark.count + digits : 1
        }
        return plain
    }

    /// The bytes of a text with "é" as two characters, because a server may write it as one. Each scalar
    /// is decomposed alone: sorting a long run of combining marks takes quadratic time.
    private static func decomposed(_ text: String) -> Data {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return Data(text.utf8) }
        var bytes = Data()
        for scalar in text.unicodeScalars {
            let text = String(scalar)
            bytes += (scalar.isASCII ? text : text.decomposedStringWithCanonicalMapping).utf8
        }
        return bytes
    }

    /// The first six bytes of each value in a query, a form, JSON or a header, each as a number.
    private static func startsOfValues(_ text: String) -> [UInt64] {
        // Bytes: splitting 1 MB of text is slow. Separators that aren't ASCII become spaces. A quote ends the last word.
        let isASCII = text.utf8.count == text.unicodeScalars.count
        let words = isASCII ? [text] : text.components(separatedBy: otherSeparators)
        let text = Array((words.joined(separator: " ") + "\"").utf8)
        return text.withUnsafeBytes { bytes in
            var (starts, end) = ([UInt64](), 0)
            // The number of starts before this quoted text and before this word, and the sides of "=" in the word.
            var (quote, word, sides) = (0, 0, 0)
            while end < bytes.count {
                let start = end
                while isInValue(bytes[end]) { end += 1 }
                if end > start {
                    sides += 1
                    // The first side is a name if another one follows.
                    if sides == 2 { starts.removeLast(starts.count - word) }
                    if end - start >= 6 { starts.append(six(bytes, start)) }
                }
                if bytes[end] == UInt8(ascii: "\"") {
                    // In JSON, a colon follows a name.
                    let isName = end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: ":")
                    if isName { starts.removeLast(starts.count - quote) }
                    quote = starts.count
                }
                if bytes[end] != UInt8(ascii: "=") { (word, sides) = (starts.count, 0) }
                end += 1
            }
            return starts
        }
    }

    private static func six(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
        UInt64(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)) << 16
            | UInt64(bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self))
    }

    /// Whether a byte can be in a value: part of any character but "=" and the ASCII ones in ``separators``.
    private static func isInValue(_ byte: UInt8) -> Bool {
        switch byte {
        // "%", "+", "-./", digits, "@", letters, "_" and "~".
        case 0x25, 0x2B, 0x2D...0x39, 0x40...0x5A, 0x5F, 0x61...0x7A, 0x7E, 0x80...0xFF: true
        default: false
        }
    }

    private static let separators = CharacterSet.alphanumerics
        .union(CharacterSet(charactersIn: "-_.~+/=%@")).inverted
    private static let otherSeparators = CharacterSet.alphanumerics
        .union(CharacterSet(charactersIn: String(decoding: UInt8(0)...0x7F, as: UTF8.self)))
        .inverted
}
