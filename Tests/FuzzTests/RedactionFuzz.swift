// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderDiagnostics
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
            let style = random.number(3)
            let data = random.hostile(Self.pieces)
            let text = String(decoding: data, as: UTF8.self)
            let shown: String?
            switch style {
            case 0: shown = request.redacting(text)
            case 1: shown = request.redacting(data, ofType: "application/json")
            default: return try Self.checkMember(text, of: request)
            }
            try require(
                shown?.lowercased().contains(Self.secret.lowercased()) != true,
                "shows a secret: \(shown ?? "")",
                text.debugDescription)
        }
    }

    /// Checks JSON with a member whose name is secret, and whose value only the server knows.
    private static func checkMember(_ text: String, of request: ServiceRequest) throws {
        let other = "0ther" + "Secret"
        let json = try JSONEncoder().encode(FuzzJSON(["a": text, "nested": ["token": other]]))
        let shown = request.redacting(json, ofType: "application/json") ?? ""
        let input = String(decoding: json, as: UTF8.self).debugDescription
        try require(!shown.contains(other), "shows a secret member: \(shown)", input)
    }
}
