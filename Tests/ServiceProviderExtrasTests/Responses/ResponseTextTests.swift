// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Response bodies as text.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResponseTextTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// The content type, the bytes, and the expected text.
    static let texts: [(type: String?, bytes: [UInt8], text: String?)] = [
        (nil, Array("größe".utf8), "größe"),
        ("text/plain", Array("größe".utf8), "größe"),
        ("text/plain;", Array("größe".utf8), "größe"),
        ("text/plain", [0xFF], nil), ("text/plain; charset=utf-8", [0x41, 0xC3], nil),
        ("text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF, 0x41], "A"),
        ("text/plain; charset=us-ascii", [0x41, 0x42], "AB"),
        ("text/plain; charset=us-ascii", [0x41, 0xE9], nil),
        ("text/plain; charset=iso-8859-1", [0xE9, 0x41], "éA"),
        ("text/plain; charset=ISO-8859-1", [0xE9, 0x41], "éA"),
        ("Text/Plain; CHARSET=iso-8859-1", [0xE9], "é"),
        (#"text/plain; charset="iso-8859-1""#, [0xE9], "é"),
        (#"text/plain; charset="iso-\8859-1""#, [0xE9], "é"),
        (#"text/plain;charset="utf-8";charset=iso-8859-1"#, [0xC3, 0xA9], "é"),
        ("text/plain;charset=iso-8859-1;x=y", [0xE9], "é"),
        ("text/plain; x=y; charset=iso-8859-1", [0xE9], "é"),
        ("text/plain; xcharset=iso-8859-1", [0xC3, 0xA9], "é"),
        (#"text/plain; x="a; charset=iso-8859-1""#, [0xC3, 0xA9], "é"),
        (#"text/plain; x="\"; charset=iso-8859-1""#, [0xC3, 0xA9], "é"),
        (#"text/plain; x="\\"; charset=iso-8859-1"#, [0xE9], "é"),
        ("text/plain ; \tcharset=iso-8859-1 ", [0xE9], "é"),
        ("text/plain; charset=iso-8859-2", [0xB3], "ł"),
        ("text/plain; charset=windows-1250", [0xE9], "é"),
        ("text/plain; charset=windows-1251", [0xE9], "й"),
        ("text/plain; charset=windows-1252", [0x80], "€"),
        ("text/plain; charset=windows-1253", [0xE1], "α"),
        ("text/plain; charset=windows-1254", [0xFE], "ş"),
        ("text/plain; charset=Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"),
        ("text/plain; charset=utf-16", [0xFE, 0xFF, 0x00, 0x41], "A"),
        ("text/plain; charset=utf-16", [0xFF, 0xFE, 0x41, 0x00], "A"),
        ("text/plain; charset=utf-16be", [0x00, 0x41], "A"),
        ("text/plain; charset=utf-16be", [0xFE, 0xFF, 0x00, 0x41], "A"),
        ("text/plain; charset=utf-16le", [0x41, 0x00], "A"),
        ("text/plain; charset=utf-16le", [0x41, 0x00, 0x42], nil),
        ("text/plain; charset=utf-16be", [0xD8, 0x00, 0x00, 0x41], nil),
        ("text/plain; charset=klingon", [0x41], nil),
        ("text/plain; charset", [0x41], nil), (#"text/plain; charset="""#, [0x41], nil),
        (#"text/plain; charset=""#, [0x41], nil), (";;;=;\"", [0x41], "A"),
    ]

    @Test(arguments: texts)
    func theCharsetDecidesTheText(type: String?, bytes: [UInt8], text: String?) async throws {
        let headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
        let sent = LoopbackResponse(headers: headers, body: .data(Data(bytes)))
        let provider = ServiceProvider<TestService>()
        let response = try await provider.response(service: server.responding(sent))
        #expect(response.textInCharset == text)
    }

    @Test func emptyBodiesAreEmptyTexts() async throws {
        let provider = ServiceProvider<TestService>()
        let response = try await provider.response(service: server.responding(.statusCode(204)))
        #expect(response.textInCharset == "")
    }
}
