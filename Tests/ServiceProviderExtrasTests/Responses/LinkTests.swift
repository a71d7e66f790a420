// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The `Link` header (RFC 8288).
@Suite(.serialized, .opensFiles, .timeLimit) struct LinkTests {
    private static let requested = "http://h/a/b?page=1"

    /// A response with this `Link` header to a request for `requested`.
    static func response(_ link: String?, requested: String = requested) throws -> ServiceResponse {
        let url = try #require(URL(string: requested))
        return ServiceResponse(
            request: ServiceRequest(URLRequest(url: url)), statusCode: 200,
            headers: link.map { ["Link": $0] } ?? [:])
    }

    private func next(_ link: String?, requested: String = requested) throws -> String? {
        try Self.response(link, requested: requested).link(rel: "next")?.absoluteString
    }

    @Test(arguments: [
        // Common forms.
        (#"<http://h/2>; rel="next""#, "http://h/2"),
        (#"<http://h/9>; rel="last", <http://h/2>; rel="next""#, "http://h/2"),
        (
            #"<http://h/0>; rel="prev",<http://h/2>; rel="next",<http://h/9>; rel="last""#,
            "http://h/2"
        ),
        (#"<https://x.test/2?a=1&b=2>; rel="next"; title="more""#, "https://x.test/2?a=1&b=2"),
        (#"<http://h/2>; title="more"; rel="next""#, "http://h/2"),
        // With and without whitespace.
        (#"<http://h/2>;rel="next""#, "http://h/2"), (#"<http://h/2>;rel=next"#, "http://h/2"),
        ("  <http://h/2>  ;  rel  =  \"next\"  ", "http://h/2"),
        ("\t<http://h/2>\t;\trel\t=\tnext\t", "http://h/2"),
        (#"< http://h/2 >; rel="next""#, "http://h/2"),
        (#"<http://h/1>; rel=prev , <http://h/2> ; rel=next , <http://h/9>"#, "http://h/2"),
        // The relation: several types, any case, unquoted, escaped.
        (#"<http://h/2>; rel="last next""#, "http://h/2"),
        (#"<http://h/2>; rel=" last   next ""#, "http://h/2"),
        ("<http://h/2>; rel=\"last\tnext\"", "http://h/2"),
        (#"<http://h/2>; rel="NEXT""#, "http://h/2"), (#"<http://h/2>; REL=Next"#, "http://h/2"),
        (#"<http://h/2>; rel="n\e\x\t""#, "http://h/2"),
        (#"<http://h/2>; rel="http://h/rel next""#, "http://h/2"),
        // Commas, semicolons and brackets that don't end anything.
        (#"<http://h/2,3;4>; rel="next""#, "http://h/2,3;4"),
        (
            #"<http://h/1>; title="a, <http://h/8>; rel=next"; rel=prev, <http://h/2>; rel=next"#,
            "http://h/2"
        ),
        (
            #"<http://h/1>; title="a\", <http://h/8>; rel=\"next"; rel=prev, <http://h/2>; rel=next"#,
            "http://h/2"
        ),
        (#"<http://h/1>; title="a\\"; rel=prev, <http://h/2>; rel=next"#, "http://h/2"),
        (#"<http://h/2>; title="a=b; rel=prev"; rel=next"#, "http://h/2"),
        // Empty elements and parameters, and parameters without a value.
        (#",, ,<http://h/2>; rel="next",,"#, "http://h/2"),
        (#"<http://h/2>;; rel="next";"#, "http://h/2"),
        (#"<http://h/2>; crossorigin; rel="next""#, "http://h/2"),
        (#"<http://h/2>; =x; rel="next""#, "http://h/2"),
        // Several links match: the first usable one is returned.
        (#"<http://h/2>; rel=next, <http://h/3>; rel=next"#, "http://h/2"),
        (#"<ftp://h/2>; rel=next, <http://h/3>; rel=next"#, "http://h/3"),
        // The header ends inside quotes.
        (#"<http://h/2>; rel="next"#, "http://h/2"),
        (#"<http://h/2>; rel=next; title="a\"#, "http://h/2"),
        // Anchors that point to this resource itself.
        (#"<http://h/2>; rel=next; anchor="""#, "http://h/2"),
        (#"<http://h/2>; rel=next; anchor="http://h/a/b?page=1""#, "http://h/2"),
        (#"<http://h/2>; rel=next; anchor="b?page=1""#, "http://h/2"),
        // Non-ASCII characters.
        (
            #"<http://h/%C3%A9?q=%2C>; rel="next"; title*=UTF-8''n%c3%a4chste"#,
            "http://h/%C3%A9?q=%2C"
        ),
        ("<http://h/2>; title=\"n\u{E4}chste 🕷\"; rel=next", "http://h/2"),
    ])
    func linkTargetsAreFound(link: String, target: String) throws {
        #expect(try next(link) == target)
    }

    @Test(arguments: [
        nil, "", " ", ",", ";", "<", ">", "<>", "<http://h/2>", "http://h/2; rel=next",
        #"<http://h/2>; rel="prev""#, #"<http://h/2>; rel="nextpage""#, #"<http://h/2>; rel="""#,
        #"<http://h/2>; rel"#, #"<http://h/2>; rev="next""#, #"<http://h/2>; title="rel=next""#,
        #"<http://h/2>; rel="prev"; rel="next""#, #"<http://h/2>; rel; rel="next""#,
        #"<http://h/2; rel="next""#,
        #"<http://h/2> rel="next""#,
        #"<http://h/2>; rel="next"; anchor="http://h/other""#,
        ##"<http://h/2>; rel=next; anchor="#x""##,
        #"<http://h/2>; rel="next"; anchor="/a/b?page=2"; anchor="/a/b?page=1""#,
        #"x, <http://h/2>; rel="next""#, #""<http://h/2>; rel=next"#,
    ])
    func headersWithoutALinkHaveNoTarget(link: String?) throws {
        #expect(try next(link) == nil)
    }

    /// Nil would look like the end of a list. Redirects to these aren't allowed either.
    @Test(
        .row("E13", "Z15"),
        arguments: [
            #"<ftp://h/2>; rel="next""#, #"<javascript:alert(1)>; rel="next""#,
            #"<data:,x>; rel="next""#, #"<file:///etc/passwd>; rel="next""#,
            #"<http://>; rel="next""#,
            #"<http:///2>; rel="next""#, #"<mailto:a@h>; rel="next""#,
            #"<http://h:99999/>; rel="next""#, #"<https://xn--/2>; rel="next""#,
            #"<http://h:99999999999999999999/>; rel="next""#,
            #"<http://h:0/>; rel="next""#,
            #"</1>; rel=prev, <ftp://h/2>; rel=next, <x:>; rel="next""#,
        ])
    func aLinkThatIsRefusedIsAnError(link: String) throws {
        let error = #expect(throws: ServiceError.self) { try next(link) }
        guard case .decoding(DecodingError.dataCorrupted, _, as: "Link") = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    /// The examples of RFC 3986, section 5.4, with their base URL.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"), (".", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ])
    func relativeTargetsAreResolved(target: String, url: String) throws {
        #expect(try next("<\(target)>; rel=next", requested: "http://a/b/c/d;p?q") == url)
    }

    @Test(arguments: [
        ("https://h/a", "//x/b", "https://x/b"),
        ("http://u:p@h/a", "/b", "http://u:p@h/b"), ("http://u:p@h/a", "http://x/b", "http://x/b"),
        ("http://h/a", "http://u:p@h/b", "http://h/b"),
        ("http://h/a", "HTTPS://h/b", "https://h/b"),
        // A server behind a proxy for TLS doesn't know the scheme.
        ("https://h/a", "http://h/b?c=%20", "https://h/b?c=%20"),
        ("https://h/a", "HTTP://H:80/b", "https://H/b"),
        ("https://h:8443/a", "http://h/b", "https://h:8443/b"),
        ("https://h:8443/a", "http://h:8443/b", "https://h:8443/b"),
        ("https://u:p@h/a", "http://x:y@h/b", "https://u:p@h/b"),
    ])
    func linksCannotSetCredentialsOrDowngradeHTTPS(
        requested: String, target: String, url: String
    ) throws {
        #expect(try next("<\(target)>; rel=next", requested: requested) == url)
    }

    @Test(
        .row("E13"),
        arguments: ["http://x/b", "http://h:8080/b", "http://h.x/b", "http://h@x/b"])
    func linksFromHTTPSToHTTPAreErrors(target: String) throws {
        #expect(throws: ServiceError.self) {
            try next("<\(target)>; rel=next", requested: "https://h/a")
        }
    }

    @Test func anyRelationCanBeRequested() throws {
        let response = try Self.response("<http://h/9>; rel=LAST, </x>; rel=\"http://h/Rel up\"")
        #expect(try response.link(rel: "last")?.absoluteString == "http://h/9")
        #expect(try response.link(rel: "Last")?.absoluteString == "http://h/9")
        #expect(try response.link(rel: "HTTP://h/rel")?.absoluteString == "http://h/x")
        for rel in ["next", "", " ", "up last", "<", "\""] {
            #expect(try response.link(rel: rel) == nil)
        }
    }

    @Test func unusualLinkHeadersAreParsedOverTheWire() async throws {
        let fields: [(Data, String?)] = [
            // No invalid UTF-8: on Linux, URLSession fails a call with such a header.
            (Data("Link: </2>; rel=next; title=\"\u{301}é\t\"".utf8), "/2"),
            (Data("Link: <é>; rel=prev, </2>; rel=next".utf8), "/2"),
            (Data("link: </1>; rel=prev\r\nlink: </2>; rel=next".utf8), "/2"),
            (Data("Link: </1>; rel=prev,\r\nLink: , </2>; rel=next,".utf8), "/2"),
            (Data("Link:".utf8), nil), (Data("Links: </2>; rel=next".utf8), nil),
        ]
        for (field, path) in fields {
            let end = Data("\r\nContent-Length: 0\r\n\r\n".utf8)
            let server = try LoopbackServer(
                responses: [.raw(Data("HTTP/1.1 200 OK\r\n".utf8) + field + end)])
            let service = server.service("/list?page=1")
            let response = try await ServiceProvider<TestService>().response(service: service)
            let expected = path.map { server.baseURL + $0 }
            #expect(try response.link(rel: "next")?.absoluteString == expected)
        }
    }
}
