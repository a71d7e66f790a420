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

/// Tests redirects to unusual locations. Foundation parses the `Location`, and libcurl the new URL.
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectTests {
    /// ASKED stands for the server that redirects, OTHER for another server, and PORT for its port.
    static let locations = [
        "//OTHER", "//OTHER/x", "///OTHER/", "////OTHER/", #"\\OTHER\x"#, #"/\OTHER/"#,
        #"\/OTHER/"#, #"http:\\OTHER\"#, "http:/OTHER/", "http:OTHER/", "http:///OTHER/",
        "http:////OTHER/", " //OTHER/", "\t//OTHER/", "//OTHER/ ", "/ /OTHER/", "http: //OTHER/",
        "http://ASKED\t.OTHER/", "http://ASKED#@OTHER/", "http://ASKED?@OTHER/",
        #"http://ASKED\@OTHER/"#, #"http://ASKED\.OTHER/"#, "http://ASKED@OTHER/",
        "http://ASKED%2F@OTHER/", "http://ASKED%23@OTHER/", "http://ASKED;@OTHER/",
        "http://ASKED/@OTHER/", "http://u:p@OTHER/", "http://@OTHER/", "http://:@OTHER/",
        "http://u:p@ASKED/x", "http://u@v@OTHER/", "http://OTHER@/", "http://127.0.0.1%2F:PORT/",
        "http://127.0.0.1%00:PORT/", "http://127.0.0.1%20:PORT/", "http://127.0.0.1 :PORT/",
        "http://127.0.0.1:99999/", "http://127.0.0.1:-1/", "http://127.0.0.1:0/", "http://OTHER:1/",
        "http://127.0.0.1:+PORT/", "http://127.0.0.1:0PORT/", "http://127.0.0.1: PORT/",
        "http://OTHER%20/", "http://OTHER%2F/", "http://0x7f.1:PORT/", "http://2130706433:PORT/",
        "http://0177.0.0.1:PORT/", "http://127.1:PORT/", "http://127.0.0.1.:PORT/",
        "http://[::1]:PORT/", "http://[::1", "http://[::1]x:PORT/", "http://[::1%25lo]:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/", "http://[127.0.0.1]:PORT/", "http://[]/",
        "http://１２７.0.0.1:PORT/", "http://127。0。0。1:PORT/", "http://%31%32%37.0.0.1:PORT/",
        "http://localhost.:PORT/", "http://localHOST:PORT/", "http://local\u{AD}host:PORT/",
        "http://localhost%00.a:PORT/", "//localhost%00/x", "//%20/x", "//[::1]:PORT/x",
        "HTTP://OTHER/", "http:x", "http://", "//", "/", "?", "#", "#x", "", " ", ".", "..",
        "../../../..", "/%2F%2FOTHER/", "/%2e%2e/x", "/x y", "/é", "/\u{7F}", "/\u{80}", "%", "%zz",
        ":", ":80", "@OTHER", "x@OTHER", "a:b@OTHER", "http://OTHER;x/", "http://OTHER,ASKED/",
        "http://ASKED, http://OTHER/", "http://OTHER, http://ASKED/", "http://OTHER\0/",
        "javascript:alert(1)", "/" + String(repeating: "@", count: 1_000),
    ]

    /// Other notations for 127.0.0.1. libcurl sends 127.0.0.1 in the `Host` header field.
    static let numbers = ["0x7f.1", "2130706433", "0177.0.0.1", "127.1"]

    @Test(.row("R6", "R13", "R14", "R19", "U5"), arguments: locations)
    func aRedirectReachesTheServerInItsURL(_ location: String) async throws {
        let (asked, other) = (try LoopbackServer(), try LoopbackServer { _ in .text("other") })
        let text = location.replacingOccurrences(of: "ASKED", with: "127.0.0.1:\(asked.port)")
            .replacingOccurrences(of: "OTHER", with: "127.0.0.1:\(other.port)")
            .replacingOccurrences(of: "PORT", with: "\(other.port)")
        asked.enqueue(.redirect(to: text), .text("same"))
        var service = asked.endpoint()
        service.headers = ["Authorization": "Bearer \(canary("redirected token"))"]
        do {
            let response = try await provider().response(service: service)
            let url = try #require(response.request.urlRequest.url)
            let isOther = url.port == other.port
            #expect(asked.requests.count == (isOther ? 1 : 2))
            #expect(other.requests.count == (isOther ? 1 : 0))
            let request = try #require(isOther ? other.requests.first : asked.requests.last)
            let host = Self.numbers.contains(url.host ?? "") ? "127.0.0.1" : url.host ?? ""
            let name = request.header("Host")?.lowercased().filter { !"[]".contains($0) }
            #expect(name == "\(host.filter { !"[]".contains($0) }):\(url.port ?? 0)".lowercased())
            #expect((request.header("Authorization") == nil) == isOther)
        } catch let error as ServiceError {
            #expect(asked.requests.count == 1)
            #expect(other.connectionCount == 0)
            switch error {
            case .unacceptableStatus(let response): #expect(response.statusCode == 302)
            case .transport(let failure): #expect(failure.code != .unknown)
            default: throw error
            }
            #expect(!transcribed("\(error)", as: .error).contains("canary"))
        }
    }

    /// A link-local address with a zone, which makes URLSession crash.
    @Test(.row("R13", "U5")) func aZoneInARedirectDoesNotCrash() async throws {
        // On a busy machine, the redirect itself may be late.
        for time in [0.05, 0.5, 5, 50] {
            let server = try LoopbackServer(responses: [.redirect(to: "//[fe80::1%25lo]:1/x")])
            var service = server.endpoint()
            service.timeout = time
            #expect(try await provider().code(of: service) != nil)
            if server.requests.count == 1 { return }
        }
        Issue.record("no request arrived")
    }

    @Test(
        .row("L10"),
        arguments: ["../", "@", "%2E%2E/", "é", "a/../", ";", "?", "#", "%", "//", " "])
    func longLocationsAreRead(_ piece: String) async throws {
        let text = "/" + String(repeating: piece, count: 90_000 / piece.utf8.count)
        let server = try LoopbackServer(responses: [.redirect(to: text), .text("there")])
        do {
            #expect(try await provider().text(of: server.endpoint()) == "there")
        } catch ServiceError.unacceptableStatus(let response) {
            #expect(response.statusCode == 302)
        }
    }
}
#endif
