// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
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
