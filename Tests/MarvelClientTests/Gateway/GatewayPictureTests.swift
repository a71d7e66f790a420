// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// The generated pictures and their PNG files.
@Suite(.serialized, .opensFiles, .timeLimit) struct GatewayPictureTests {
    /// A PNG file, parsed independently of the code under test (ISO/IEC 15948 and RFC 1950).
    private struct Image {
        var names: [String] = []
        var head: [UInt8] = []
        var pixels: [UInt8] = []

        init(_ file: Data) throws {
            var rest = Array(file)[...]
            try #require(rest.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            rest = rest.dropFirst(8)
            while !rest.isEmpty {
                let size = Self.number(rest.prefix(4))
                let checked = rest.dropFirst(4).prefix(4 + size)
                let name = String(decoding: checked.prefix(4), as: UTF8.self)
                try #require(checked.count == 4 + size)
                #expect(Self.number(rest.dropFirst(8 + size).prefix(4)) == Self.crc(checked))
                names.append(name)
                if name == "IHDR" { head = Array(checked.dropFirst(4)) }
                if name == "IDAT" { pixels = try Self.inflated(checked.dropFirst(4)) }
                rest = rest.dropFirst(12 + size)
            }
        }

        static func number(_ bytes: ArraySlice<UInt8>) -> Int {
            bytes.reduce(0) { $0 << 8 | Int($1) }
        }

        /// Calculates the CRC bit by bit, unlike the code under test.
        static func crc(_ bytes: ArraySlice<UInt8>) -> Int {
            var remainder: UInt32 = 0xFFFF_FFFF
            for byte in bytes {
                for bit in 0..<8 {
                    let isOdd = (remainder ^ UInt32(byte >> bit)) & 1 == 1
                    remainder = (remainder >> 1) ^ (isOdd ? 0xEDB8_8320 : 0)
                }
            }
            return Int(~remainder)
        }

        static func inflated(_ stream: ArraySlice<UInt8>) throws -> [UInt8] {
            try #require(number(stream.prefix(2)) % 31 == 0)
            var (rest, content, isLast) = (stream.dropFirst(2), [UInt8](), false)
            while !isLast {
                let head = Array(rest.prefix(5))
                try #require(head.count == 5 && head[0] <= 1)
                try #require(head[1] ^ head[3] == 255 && head[2] ^ head[4] == 255)
                let size = Int(head[2]) << 8 | Int(head[1])
                content += rest.dropFirst(5).prefix(size)
                rest = rest.dropFirst(5 + size)
                isLast = head[0] == 1
            }
            let low = content.reduce(1) { ($0 + Int($1)) % 65_521 }
            var (sum, high) = (1, 0)
            for byte in content {
                (sum, high) = (sum + Int(byte), (high + sum + Int(byte)) % 65_521)
            }
            #expect(number(rest) == high << 16 | low)
            return content
        }
    }

    private static let paths = Set(GatewayCharacter.all.map { $0.picturePath + ".png" }).sorted()

    @Test(.slow) func everyPictureIsAUniqueValidImage() async throws {
        var bodies: Set<Data> = []
        for path in Self.paths {
            // Lets other tests run: Swift's tasks share only a few threads.
            await Task.yield()
            let answer = GatewayFixture.gateway.answer(method: "GET", target: path)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "image/png")
            bodies.insert(answer.body)
        }
        #expect(bodies.count == Self.paths.count)
        #expect(Set(GatewayPicture.all.values.map(\.color)).count == Self.paths.count)
        for body in bodies.prefix(5) {
            await Task.yield()
            let image = try Image(body)
            #expect(image.names == ["IHDR", "IDAT", "IEND"])
            #expect(image.head == [0, 0, 0, 150, 0, 0, 0, 150, 8, 2, 0, 0, 0])
            try #require(image.pixels.count == 150 * 451)
            let rows = (0..<150).map { image.pixels[$0 * 451..<$0 * 451 + 451] }
            #expect(rows.allSatisfy { $0.first == 0 })
            let colors = rows.flatMap { row in
                stride(from: 1, to: 451, by: 3).map { Array(row.dropFirst($0).prefix(3)) }
            }
            #expect(Set(colors).count == 2)
        }
    }

    @Test func pictureETagChangesWithTheContent() throws {
        let tags = try Self.paths.prefix(5).map { path in
            let answers = (1...2).map { _ in
                GatewayFixture.gateway.answer(method: "GET", target: path + "?any=query")
            }
            let tag = try #require(answers[0].header("ETag"))
            #expect(answers[1].header("ETag") == tag)
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count == 34)
            return tag
        }
        #expect(Set(tags).count == 5)
    }

    @Test func pictureURLsPointToTheRequestedHost() throws {
        let gateway = GatewayFixture.gateway
        let target = "/v1/public/characters?\(GatewayFixture.credentials)&limit=100"
        let answer = gateway.answer(method: "GET", target: target, host: "127.0.0.1:7")
        let page = try JSONDecoder().decode(Reply.self, from: answer.body).data
        #expect(page.results.count > 60)
        for record in page.results {
            let url = "\(record.thumbnail.path).\(record.thumbnail.extension)"
            #expect(url.hasPrefix("http://127.0.0.1:7/u/"))
            #expect(GatewayPicture.all[GatewayTarget(url).path] != nil)
        }
    }

    @Test(arguments: [
        "/u/prod/marvel/i/mg/5/a0/538615ca33ab0", "/u/prod/marvel/i/mg/5/a0/538615ca33ab0.jpg",
        "/u/prod/marvel/i/mg/", "/u/prod/marvel/i/mg/x.png",
    ])
    func unknownPicturePathsAreNotFound(path: String) {
        #expect(GatewayFixture.gateway.answer(method: "GET", target: path).status == 404)
    }

    @Test(
        arguments: [
            ("", 0, 1), ("123456789", 0xCBF4_3926, 0x091E_01DE), ("IEND", 0xAE42_6082, 0x02D7_0121),
            ("Wikipedia", 0xADAA_C02E, 0x11E6_0398),
        ] as [(String, UInt32, UInt32)])
    func checksumsMatchKnownValues(text: String, crc: UInt32, adler: UInt32) {
        #expect(PNG.crc32(Array(text.utf8)) == crc)
        #expect(PNG.adler32(Array(text.utf8)) == adler)
    }

    @Test(arguments: [0, 1, 65_534, 65_535, 65_536, 131_070, 131_071])
    func zlibStreamsOfAnyLengthAreValid(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try Image.inflated(PNG.zlib(content)[...]) == content)
    }
}
