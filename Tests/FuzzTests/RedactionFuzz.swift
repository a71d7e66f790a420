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

/// Hides secrets between texts that a server chooses.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct RedactionFuzz {
    private static let secret = "0therSecret"
    private static let pieces = [
        "{", "}", "[", "]", "\"", "\\", "\\\"", ":", ",", "=", "&", "?", ";", "#", "/", "//", "@",
        "%",
        "%22", "%3D", "%7B", "token", "\"token\":", "password=", "https://", "u:p@h/", "\\u0073",
        " ",
        "\n", "\0", "é", "null", "1", "https://h/?access_token=",
    ]

    @Test func secretsAreHidden() async throws {
        try await Fuzz.run("RedactionFuzz", count: 3_000) { _, random in
            guard let url = URL(string: "https://example.com/a") else { return }
            let request = ServiceRequest(URLRequest(url: url))
            let style = random.number(4)
            let data = random.hostile(Self.pieces)
            let text = String(decoding: data, as: UTF8.self)
            let json = try JSONEncoder().encode([
                "a": ["b": text], "nested": ["token": Self.secret],
            ])
            let shown: String?
            switch style {
            case 0: shown = request.redacting(url: "https://joe:\(Self.secret)@h/\(text)")
            case 1: shown = request.redacting(url: "https://h/?token=\(Self.secret)&\(text)")
            case 2:
                shown = request.redacting(json, ofType: "application/json")
                try require(shown != nil, "refuses JSON", text.debugDescription)
            default:
                let type = random.number(2) == 0 ? "text/plain" : "application/json"
                let response = ServiceResponse(
                    request: request, statusCode: 400, headers: ["Content-Type": type], data: data)
                _ = request.redacting(data, ofType: type)
                _ = request.redacting(text, ofHeader: "Link")
                let error = ServiceError.unacceptableStatus(response)
                _ = error.serverMessage
                let isLine = error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }
                let isShort = error.description.unicodeScalars.count <= 400
                try require(isLine && isShort, "isn't a short line", error.description)
                shown = nil
            }
            try require(
                shown?.contains(Self.secret) != true, "shows a secret: \(shown ?? "")",
                text.debugDescription)
        }
    }
}
