// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport

/// A random service, and whether it's valid.
struct FuzzCase {
    /// Must not appear in any text for people.
    static let secret = "canary-7f3a"

    var service = TestService(baseURL: "https://example.com", secretNames: ["pin"])
    var members: [String: String]?
    /// The parameters that come first.
    var order: [String] = []
    /// Whether the service is certainly valid, and must be accepted.
    var isGood = true
    /// Whether the service is certainly invalid, and must be refused.
    var isBad = false

    private(set) var hasHostileBase = false

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    init(_ random: inout SeededGenerator) {
        addBase(&random)
        addPath(&random)
        addParameters(&random)
        addMethodAndBody(&random)
        addHeaders(&random)
        if random.oneIn(4) {
            let times = [1, 0.001, 1e300, .infinity, 0, -1, -.infinity, .nan]
            let index = random.number(times.count)
            service.timeout = times[index]
            if index > 3 { (isGood, isBad) = (false, true) }
        }
    }

    private mutating func addBase(_ random: inout SeededGenerator) {
        let hosts = [
            "example.com", "a", "127.0.0.1", "[::1]", "EXAMPLE.com", "xn--bcher-kva.example",
        ]
        var base = random.pick(["http", "https", "https", "HTTP", "hTTps"]) + "://"
        if random.oneIn(4) { base += "joe:" + encoded(Self.secret + random.text()) + "@" }
        base += random.pick(hosts) + random.pick(["", "", ":1", ":8080", ":65535"])
        for _ in 0..<random.number(3) { base += "/" + encoded(random.text()) }
        if random.oneIn(3) { base += "/" }
        if random.oneIn(4) {
            base +=
                "?" + encoded(random.text()) + "=1&apikey=" + encoded(Self.secret + random.text())
        }
        if random.oneIn(8) { base += "#" + encoded(random.text()) }
        if random.oneIn(8) {
            let place = random.number(base.unicodeScalars.count + 1)
            var scalars = Array(base.unicodeScalars)
            scalars.replaceSubrange(
                place..<min(place + random.number(4), scalars.count),
                with: random.text().unicodeScalars)
            base = String(String.UnicodeScalarView(scalars))
            hasHostileBase = true
        }
        if random.oneIn(30) { (base, hasHostileBase) = (random.text(), true) }
        if hasHostileBase { isGood = false }
        service.baseURL = base
    }

    private mutating func addPath(_ random: inout SeededGenerator) {
        let segments = (0..<random.number(4)).map { _ in random.text() }
        service.path = (random.oneIn(3) ? "" : "/") + segments.joined(separator: "/")
        let path = service.path
        // A backslash separates segments, too, and a semicolon ends the name of one.
        let parts = path.utf8.split { "/\\;".utf8.contains($0) }
        let dots = parts.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        if dots { (isGood, isBad) = (false, true) }
    }

    private mutating func addParameters(_ random: inout SeededGenerator) {
        let destination: ServiceParameterEncoding.Destination = random.pick([
            .automatic, .automatic, .query, .form, .json,
        ])
        order = random.oneIn(4) ? [random.text(), "token"] : []
        service.parameterEncoding = ServiceParameterEncoding(destination: destination, order: order)
        guard random.oneIn(2) else { return }
        var members: [String: String] = [:]
        for _ in 0..<random.number(6) { members[random.text()] = random.text() }
        if random.oneIn(3) {
            let name = random.pick([
                "token", "apikey", "X-Api-Key", "password", "user password", "pin",
            ])
            let start = random.oneIn(2) ? random.text() + "." : ""
            members[start + name] = Self.secret + random.text()
        }
        self.members = members
        service.parameters = members
    }

    private mutating func addMethodAndBody(_ random: inout SeededGenerator) {
        let hasBody = random.oneIn(4)
        if hasBody { service.body = body(&random) }
        let destination = service.parameterEncoding.destination
        let sendsParameters = members != nil && (destination == .form || destination == .json)
        let methods: [ServiceMethod] = [.post, .put, .patch, .delete, .options]
        if hasBody || sendsParameters {
            service.method = random.pick(methods)
        } else {
            service.method = random.pick(methods + [.get, .get, .get, .head])
        }
        if random.oneIn(8) {
            service.method = ServiceMethod(
                rawValue: random.oneIn(2) ? random.token() : random.text())
            isGood = false
        }
    }

    private mutating func body(_ random: inout SeededGenerator) -> ServiceBody {
        let (text, other) = (random.text(), random.text())
        let secret = Self.secret + text
        switch random.number(5) {
        case 0: return .data(random.bytes(40))
        case 1: return .json([other: text, "password": secret])
        case 2: return .form([other: text, "password": secret])
        case 3:
            return .multipart([
                .text(text, name: other), .data(Data(), name: text, fileName: other),
            ])
        default: return .propertyList([other: text])
        }
    }

    private mutating func addHeaders(_ random: inout SeededGenerator) {
        var names: Set<String> = []
        for _ in 0..<random.number(4) {
            var (name, value) = (random.token(), random.text())
            if random.oneIn(4) {
                (name, value) = ("Authorization", "Bearer " + Self.secret + value)
            } else if random.oneIn(10) {
                name = random.oneIn(2) ? random.text() : "Content-Length"
                isGood = false
            } else if ["content-length", "content-type", "transfer-encoding"].contains(
                name.lowercased())
            {
                continue
            }
            let isClean = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            guard names.insert(name.lowercased()).inserted else { continue }
            service.headers[name] = value
            if !isClean { (isGood, isBad) = (false, true) }
        }
    }

    private func encoded(_ text: String, _ kept: String = "") -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard !Self.unreserved.contains(byte), !kept.utf8.contains(byte) else {
                bytes.append(byte)
                continue
            }
            let digits = Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
            bytes += [UInt8(ascii: "%")] + digits
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
