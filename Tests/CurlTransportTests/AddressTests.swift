// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests servers at IPv4 and IPv6 addresses, at a host name, and at a Unix domain socket.
@Suite(.serialized, .opensFiles, .timeLimit) struct AddressTests {
    static let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    static let late = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"

    /// The address of a server, and the host in its URL.
    struct Place: CustomTestStringConvertible {
        let testDescription: String
        let address: RawServer.Address
        let host: String

        static var all: [Place] {
            let path = "/tmp/\(UUID().uuidString)"
            return [
                Place(testDescription: "IPv4", address: .ipv4, host: "127.0.0.1"),
                Place(testDescription: "IPv6", address: .ipv6, host: "[::1]"),
                Place(testDescription: "a name", address: .ipv4, host: "localhost"),
                Place(testDescription: "a socket", address: .unix(path), host: "service.invalid"),
            ]
        }

        func service(_ server: RawServer) -> TestService {
            TestService(baseURL: "http://\(host)" + (server.port == 0 ? "" : ":\(server.port)"))
        }

        var socket: URL? {
            if case .unix(let path) = address { URL(fileURLWithPath: path) } else { nil }
        }
    }

    @Test(.row("U15"), arguments: Place.all)
    func everyKindOfAddressIsReached(_ place: Place) async throws {
        let server = try RawServer(place.address) { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let host = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Host: ") }
                let text = host?.dropFirst(6) ?? ""
                connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
        defer { server.stop() }
        let provider = try provider { $0.unixSocket = place.socket }
        let service = place.service(server)
        for _ in 0..<3 {
            #expect("http://" + (try await provider.text(of: service)) == service.baseURL)
        }
        #expect(place.socket != nil || server.connectionCount == 1)
    }

    // MARK: - Addresses by hand

    @Test(
        .row("C37"),
        arguments: [("127.0.0.1", RawServer.Address.ipv4), ("::1", .ipv6), ("[::1]", .ipv6)])
    func aHostCanHaveAnAddressByHand(_ address: String, _ kind: RawServer.Address) async throws {
        let heads = Locked<[String]>([])
        let server = try RawServer(kind) { connection in
            let head = connection.readHead()
            heads { $0.append(head) }
            connection.write(Self.response)
        }
        defer { server.stop() }
        let provider = try provider { $0.dnsOverride = ["api.invalid": address] }
        let service = TestService(baseURL: "http://api.invalid:\(server.port)")
        #expect(try await provider.text(of: service) == "hello")
        #expect(heads { $0.first?.contains("Host: api.invalid:\(server.port)\r\n") } == true)
        // Other hosts keep theirs.
        let other = TestService(baseURL: "http://other.invalid:\(server.port)")
        #expect(await provider.code(of: other) == .cannotFindHost)
    }

    /// The address counts, not the name.
    @Test func anAddressByHandMustBeAllowed() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let provider = try provider {
            $0.dnsOverride = ["api.invalid": "127.0.0.1"]
            $0.allowsPrivateAddresses = false
        }
        let service = TestService(baseURL: "http://api.invalid:\(server.port)")
        #expect(await provider.code(of: service) == .resourceUnavailable)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        ["": "127.0.0.1"], ["a": ""], ["a:80": "127.0.0.1"], ["::1": "127.0.0.1"],
        ["localhost": "[]"],
        ["localhost.": "127.0.0.1"], ["localhost ": "127.0.0.1"], ["a": "b.example"],
        ["a": "[127.0.0.1]"], ["a": "::1]"], ["local\0host": "127.0.0.1"],
        ["localhost\u{7F}": "127.0.0.1"],
    ])
    func anOverrideThatIsNotAHostIsRefused(_ addresses: [String: String]) throws {
        #expect(throws: CurlUnavailable.self) { try provider { $0.dnsOverride = addresses } }
    }

    @Test func aConnectionCanHaveALocalAddress() async throws {
        let server = try LoopbackServer { _ in .never }
        let provider = try provider { $0.localAddress = "127.0.0.2" }
        let call = Task { try await provider.text(of: server.endpoint().patient) }
        _ = try await server.arrival()
        // Such a file has no size, so Foundation's short forms read only its first part.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        // Both addresses in hexadecimal, in the byte order of the network.
        let remote = String(format: " 0100007F:%04X ", server.port)
        let rows = table.split(separator: "\n").filter { $0.contains(remote) }
        #expect(rows.contains { $0.contains(" 0200007F:") })
        call.cancel()
        _ = await call.result
    }

    /// The address is from a network for documentation (RFC 5737).
    @Test func aLocalAddressOfAnotherMachineIsAnError() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let provider = try provider { $0.localAddress = "192.0.2.1" }
        let error = try await provider.failure(of: server.endpoint())
        #expect(error.urlErrorCode == .cannotConnectToHost)
        #expect(error.description.contains("The local address can't be used"), "\(error)")
    }

    /// Bytes that arrive on an idle connection aren't the response to the next request.
    @Test(.row("P2"), arguments: Place.all)
    func aConnectionWithUnexpectedBytesIsNotReused(_ place: Place) async throws {
        let server = try RawServer(place.address) { connection in
            connection.readHead()
            connection.write(Self.response)
            Thread.sleep(forTimeInterval: 0.01)
            connection.write(Self.late)
            connection.readToTheEnd()
        }
        defer { server.stop() }
        var texts: [String] = []
        // On a busy machine they may arrive after the next request was sent, but not every time.
        for _ in 0..<10 where texts != ["hello", "hello"] {
            let provider = try provider { $0.unixSocket = place.socket }
            texts = [try await provider.text(of: place.service(server))]
            try await Task.sleep(nanoseconds: 45_000_000)
            texts.append(try await provider.text(of: place.service(server)))
        }
        #expect(texts == ["hello", "hello"])
    }
}
#endif
