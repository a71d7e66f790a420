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

/// Which files `.file` and file parts accept when a request is built.
@Suite(.serialized, .opensFiles, .timeLimit) struct FileBodyTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func refusal(_ url: URL) throws -> String {
        let bodies: [ServiceBody] = [.file(url), .multipart([.file(url, name: "f")])]
        let texts = try bodies.map { body in
            let refusal = try #require(TestService(method: .post, body: body).refusal())
            #expect(refusal.part == .body)
            return refusal.text
        }
        #expect(texts.first == texts.last)
        return try #require(texts.first)
    }

    @Test(.row("U16")) func aMissingFileIsRefused() throws {
        let url = folder.url.appendingPathComponent("none")
        #expect(try refusal(url) == "Invalid body: '\(url.path)' doesn't exist.")
    }

    @Test(.row("M3")) func aFolderIsRefused() throws {
        let path = folder.url.path
        #expect(try refusal(folder.url) == "Invalid body: '\(path)' is a folder.")
    }

    /// Opening a FIFO would block until another process opens it for writing.
    @Test(.row("M3")) func aFIFOIsRefused() throws {
        let url = folder.url.appendingPathComponent("fifo")
        #expect(mkfifo(url.path, 0o600) == 0)
        #expect(try refusal(url) == "Invalid body: '\(url.path)' isn't a regular file.")
    }

    @Test func aDeviceIsRefused() throws {
        let text = try refusal(URL(fileURLWithPath: "/dev/null"))
        #expect(text == "Invalid body: '/dev/null' isn't a regular file.")
    }

    @Test(.enabled(if: getuid() != 0, "root may read every file"))
    func anUnreadableFileIsRefused() throws {
        let url = try folder.write(to: "locked")
        #expect(chmod(url.path, 0) == 0)
        #expect(try refusal(url) == "Invalid body: '\(url.path)' can't be read.")
    }

    @Test(arguments: ["https://example.com/a", "a/b"]) func aURLOfAnotherSchemeIsRefused(
        _ text: String
    ) throws {
        let url = try #require(URL(string: text))
        let scheme = url.scheme ?? ""
        #expect(try refusal(url) == "Invalid body: the URL's scheme is '\(scheme)', not 'file'.")
    }

    /// The system would cut the name at the NUL and open a different file.
    @Test func aNULInAFileNameIsRefused() throws {
        let url = try folder.write(to: "a")
        let longer = try #require(URL(string: url.absoluteString + "%00.txt"))
        #expect(try refusal(longer).hasSuffix("' doesn't exist."))
    }

    @Test func linksAndOddNamesAreAccepted() throws {
        let names = ["a b", "\u{E9}\u{1F600}", "%41", "a\"b", "\n", "a;b=c?d#e", "-"]
        for name in names {
            let file = try folder.write(to: name)
            let link = folder.url.appendingPathComponent("link-\(UUID().uuidString)")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            for url in [file, link] {
                let service = TestService(method: .post, body: .file(url))
                let request = try service.request()
                let upload = try #require(request.upload)
                let size = try upload().size
                #expect(size == 7)
            }
        }
    }

    @Test(arguments: [
        ("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a.b.pdf", "application/pdf"),
        ("a.json", "application/json"), ("a.txt", "text/plain"), ("a.mp4", "video/mp4"),
        ("a", "application/octet-stream"), (".png", "application/octet-stream"),
        ("a.nobody-knows", "application/octet-stream"), ("a.", "application/octet-stream"),
    ])
    func theContentTypeComesFromTheExtension(_ name: String, type: String) throws {
        let file = try folder.write(to: name)
        let request = try TestService(method: .post, body: .file(file)).request()
        #expect(request.urlRequest.value(forHTTPHeaderField: "Content-Type") == type)
        let own = ServiceBody.file(file, contentType: "x/y")
        let other = try TestService(method: .post, body: own).request()
        #expect(other.urlRequest.value(forHTTPHeaderField: "Content-Type") == "x/y")
    }

    @Test(arguments: ["GET", "HEAD"]) func bodilessMethodsRefuseAFile(_ name: String) throws {
        let method = ServiceMethod(rawValue: name)
        let file = try folder.write(to: "a")
        for body in [ServiceBody.file(file), .multipart([.file(file, name: "f")]), .multipart([])] {
            let refusal = try #require(TestService(method: method, body: body).refusal())
            #expect(refusal.text == "Invalid body: a '\(name)' can't have a body.")
        }
    }

    @Test func aPropertyListIsSent() throws {
        struct Hero: Codable, Equatable {
            var name: String
            var powers: [Int]
        }
        let hero = Hero(name: "Hulk", powers: [1, 2])
        let xml = PropertyListEncoder()
        xml.outputFormat = .xml
        for body in [ServiceBody.propertyList(hero), .propertyList(hero, encoder: xml)] {
            let request = try TestService(method: .post, body: body).request().urlRequest
            let data = try #require(request.httpBody)
            #expect(try PropertyListDecoder().decode(Hero.self, from: data) == hero)
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        }
        let notAList = TestService(method: .post, body: .propertyList("Hulk"))
        #expect(notAList.refusal()?.part == .body)
    }
}
