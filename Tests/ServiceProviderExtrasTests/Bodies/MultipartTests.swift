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

/// The bytes of forms in memory.
@Suite(.serialized, .opensFiles, .timeLimit) struct MultipartTests {
    private func sent(_ body: ServiceBody) throws -> (boundary: String, text: String) {
        let request = try TestService(method: .post, body: body).request().urlRequest
        let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
        let prefix = "multipart/form-data; boundary="
        #expect(type.hasPrefix(prefix))
        let text = String(decoding: try #require(request.httpBody), as: UTF8.self)
        return (String(type.dropFirst(prefix.count)), text)
    }

    @Test func partsAreSentInOrder() throws {
        let (boundary, text) = try sent(
            .multipart([
                .text("Hulk", name: "title"), .json(["a": 1], name: "meta"),
                .data(Data("x".utf8), name: "f", fileName: "a.bin", contentType: "image/png"),
            ]))
        let lines = [
            "--\(boundary)", "Content-Disposition: form-data; name=\"title\"", "", "Hulk",
            "--\(boundary)", "Content-Disposition: form-data; name=\"meta\"",
            "Content-Type: application/json", "", "{\"a\":1}",
            "--\(boundary)", "Content-Disposition: form-data; name=\"f\"; filename=\"a.bin\"",
            "Content-Type: image/png", "", "x", "--\(boundary)--", "",
        ]
        #expect(text.components(separatedBy: "\r\n") == lines)
    }

    @Test func aFormWithoutPartsIsSent() throws {
        let (boundary, text) = try sent(.multipart([]))
        #expect(text == "--\(boundary)--\r\n")
    }

    @Test(
        .row("M1"),
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\rb\nc", "a%0Db%0Ac"), ("a%22", "a%22"),
            ("\u{E9}\u{1F600}", "\u{E9}\u{1F600}"), ("a\\b;c=d", "a\\b;c=d"), ("", ""),
            ("\"; filename=\"evil", "%22; filename=%22evil"),
            ("x\"\r\nX-Evil: 1\r\n\r\n", "x%22%0D%0AX-Evil: 1%0D%0A%0D%0A"),
            ("\r\u{301}\"\u{301}\n\u{301}", "%0D\u{301}%22\u{301}%0A\u{301}"),
        ])
    func namesAreEscapedAsBrowsersDo(_ name: String, escaped: String) throws {
        let part = ServiceBody.Part.data(Data("x".utf8), name: name, fileName: name)
        let (_, text) = try sent(.multipart([part]))
        // Compared as bytes: a Substring would combine an accent with the quote before it.
        let line =
            "Content-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"
        #expect(Data(text.utf8).range(of: Data(line.utf8)) != nil)
    }

    @Test(.row("M1"), arguments: ["text/plain\r\nX-Evil: 1", "a\u{0}b", "\u{7F}", "a\nb"])
    func contentTypesWithControlCharactersAreRefused(_ type: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(to: "a")
        let parts: [ServiceBody.Part] = [
            .data(Data(), name: "photo", contentType: type),
            .file(file, name: "photo", contentType: type),
        ]
        for part in parts {
            let service = TestService(method: .post, body: .multipart([part]))
            let refusal = try #require(service.refusal())
            #expect(refusal.part == .header)
            #expect(refusal.text.contains("in the value of 'Content-Type'"))
            #expect(!refusal.text.contains("Evil"))
        }
    }

    @Test(.row("M2")) func everyRequestHasItsOwnBoundary() throws {
        let body = ServiceBody.multipart([.text("x", name: "a")])
        let boundaries = try (0..<10_000).map { _ in try sent(body).boundary }
        #expect(Set(boundaries).count == 10_000)
        // 128 bits are 25 digits. RFC 2046, section 5.1.1, allows 70 characters, including these.
        let longest = boundaries.map(\.count).max() ?? 0
        #expect((37...70).contains(longest))
        #expect(boundaries.allSatisfy { $0.count > 25 })
        #expect(boundaries.joined().allSatisfy { $0.isASCII && ($0.isNumber || $0.isLetter) })
    }

    /// Not even the boundary of an earlier request ends a part.
    @Test(.row("M2")) func aPartMayContainABoundary() throws {
        let first = try sent(.multipart([.text("x", name: "a")]))
        let (boundary, text) = try sent(.multipart([.text(first.text, name: "a")]))
        #expect(text.components(separatedBy: "--\(boundary)").count == 3)
        #expect(text.contains(first.text))
    }

    @Test func aPartThatCannotBeEncodedIsRefused() throws {
        let body = ServiceBody.multipart([.json(["hunter2": Double.nan], name: "a")])
        let refusal = try #require(TestService(method: .post, body: body).refusal())
        #expect(refusal.part == .body)
    }

    /// A service may set the same Content-Type for all its endpoints. Without the boundary, the
    /// server couldn't parse the body.
    @Test(arguments: ["Content-Type", "content-type"]) func aServicesContentTypeIsRefused(
        _ name: String
    ) throws {
        let service = TestService(
            method: .post, headers: [name: "application/json"], body: .multipart([]))
        let refusal = try #require(service.refusal())
        #expect(refusal.part == .header)
        #expect(refusal.text == "Invalid header: '\(name)' is set twice, here or by the body.")
    }
}
