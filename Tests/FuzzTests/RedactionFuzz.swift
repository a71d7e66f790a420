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

/// Hides secrets in texts that a server chooses around them.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct RedactionFuzz {
    private static let secret = "s3cr3tS3cr3t"
    private static let pieces = [
        secret, secret.uppercased(), "{", "}", "[", "]", "\"", "\\", "\\\"", ":", ",", "=", "&",
        "?", "%22",
        "%3D",
        "%7B", "token", "\"token\":", "password=", "https://", "u:p@h/", "\\u0073", " ", "\n", "\0",
        "é",
        "null", "1", "https://h/?access_token=",
    ]

    @Test func knownSecretsAreHidden() async throws {
        try await Fuzz.run("RedactionFuzz", count: 3_000) { _, random in
            guard let url = URL(string: "https://example.com/a?token=\(Self.secret)") else {
                return
            }
            let request = ServiceRequest(URLRequest(url: url))
            let style = random.number(5)
            let data = random.hostile(Self.pieces)
            let text = String(decoding: data, as: UTF8.self)
            let (shown, meant): (String?, String)
            switch style {
            case 0: (shown, meant) = (request.redacting(text), text)
            case 1:
                let type = "application/json"
                (shown, meant) = (request.redacting(data, ofType: type), text)
            case 2:
                // JSON with a member whose name is secret, and whose value only the server knows.
                let other = "0ther" + "Secret"
                let json = try JSONEncoder().encode(
                    FuzzJSON(["a": text, "nested": ["token": other]]))
                let shown = request.redacting(json, ofType: "application/json") ?? ""
                let input = String(decoding: json, as: UTF8.self).debugDescription
                try require(!shown.contains(other), "shows a secret member: \(shown)", input)
                return
            default:
                let type = style == 3 ? "text/plain" : "application/json"
                let response = ServiceResponse(
                    request: request, statusCode: 400,
                    headers: ["Content-Type": type],
                    data: data)
                let error = ServiceError.unacceptableStatus(response)
                _ = error.serverMessage
                let isLine = error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }
                let isShort = error.description.unicodeScalars.count <= 400
                try require(isLine && isShort, "isn't a short line", error.description)
                (shown, meant) = (error.description, text)
            }
            try require(
                shown?.lowercased().contains(Self.secret.lowercased()) != true,
                "shows a secret: \(shown ?? "")",
                meant.debugDescription)
        }
    }
}
