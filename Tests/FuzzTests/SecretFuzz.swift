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

/// Hides secrets of a request that a server repeats in an error, wherever they were in the request, and whatever was
/// around them.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct SecretFuzz {
    /// Without a colon: between a quote and `":`, a secret looks like a name in JSON.
    private static let noise = [
        "%E9", "%C3", "%C3%A4", "%", "%2", "\\", "\\u", "\\u00", "\\ud83d", "a=b", "=", "&", "+",
        ",", ";", "{", "}", "\"", "name", "token", "{\"a\":", "%22", "%3D", "s3cr", "/",
    ]

    @Test func repeatedSecretsAreHidden() async throws {
        try await Fuzz.run("SecretFuzz", count: 3_000) { _, random in
            let letters = Array("abcXYZ0189/+-_.~").map(String.init)
            let secret =
                "s3" + (0..<(4 + random.number(12))).map { _ in random.pick(letters) }.joined()
            guard let request = Self.request(secret, &random) else { return }
            let repeated = random.pick([secret, secret.uppercased(), secret.lowercased()])
            let message = random.pick([
                "\(repeated) is wrong", "Wrong key '\(repeated)'.", "key=\(repeated)",
                "1\(repeated)2", "(\(repeated))", "a b \(repeated), \(repeated)",
                "https://h/?key=\(repeated)&a=b",
            ])
            let response = ServiceResponse(
                request: request, statusCode: 401, headers: ["Content-Type": "text/plain"],
                data: Data(message.utf8))
            let text = ServiceError.unacceptableStatus(response).description
            let sent = request.urlRequest
            try require(
                !text.lowercased().contains(secret.lowercased()), "shows \(secret): \(text)",
                "\(sent) \(sent.allHTTPHeaderFields ?? [:]) "
                    + String(decoding: sent.httpBody ?? Data(), as: UTF8.self).debugDescription)
        }
    }

    /// A request with the secret in one place. Nil if URLSession can't send it.
    private static func request(
        _ secret: String, _ random: inout SeededGenerator
    ) -> ServiceRequest? {
        let (before, after) = (noise(&random), noise(&random))
        let (escaped, unicode) = (escaped(secret, &random), unicode(secret, &random))
        let place = random.number(8)
        let query = place == 0 ? "?\(before)&key=\(escaped)&\(after)" : ""
        let login = place == 1 ? "user:\(escaped)@" : ""
        // URL would encode invalid escapes again.
        guard let url = URL(string: "https://\(login)h/\(query)"),
            url.absoluteString.hasSuffix(query)
        else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        switch place {
        case 0, 1: break
        case 2: request.setValue("\(before) \(secret)", forHTTPHeaderField: "X-Key")
        case 3:
            request.setValue("\(before); sid=\(escaped); \(after)", forHTTPHeaderField: "Cookie")
        case 4:
            let plain = Data("user:\(secret)".utf8).base64EncodedString()
            request.setValue("Basic \(plain)", forHTTPHeaderField: "Authorization")
        case 5:
            let end = random.oneIn(8) ? String(repeating: "%C3%A4", count: 20_000) : ""
            request.httpBody = Data("\(before)&key=\(escaped)&\(after)\(end)".utf8)
        default:
            request.httpBody = Data(#"{"a":"\#(before)","key":"\#(unicode)","b":"\#(after)"}"#.utf8)
        }
        let sent = ServiceRequest(request)
        guard random.oneIn(3) else { return sent }
        let (status, target) = (
            random.pick([301, 302, 303]), random.pick(["/a", "https://other.test/b", "?c=d"])
        )
        let redirect = ServiceResponse(
            request: sent, statusCode: status, headers: ["Location": target])
        return sent.redirected(by: redirect)
    }

    private static func noise(_ random: inout SeededGenerator) -> String {
        (0..<random.number(6)).map { _ in random.pick(noise) }.joined()
    }

    /// Each byte as it is or as an escape of URLs, in either case.
    private static func escaped(_ secret: String, _ random: inout SeededGenerator) -> String {
        secret.utf8.map { byte in
            let mustBe = "/+".utf8.contains(byte)
            guard mustBe || random.oneIn(4) else { return String(UnicodeScalar(byte)) }
            return "%" + String(byte, radix: 16, uppercase: random.oneIn(2))
        }.joined()
    }

    /// Each character as it is or as an escape of JSON.
    private static func unicode(_ secret: String, _ random: inout SeededGenerator) -> String {
        secret.utf8.map { byte in
            let character = String(UnicodeScalar(byte))
            guard random.oneIn(4) else { return byte == UInt8(ascii: "/") ? "\\/" : character }
            return "\\u00" + String(byte, radix: 16, uppercase: random.oneIn(2))
        }.joined()
    }
}
