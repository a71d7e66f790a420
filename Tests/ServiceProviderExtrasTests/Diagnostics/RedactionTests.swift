// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct RedactionTests {
    private func request(
        _ url: String = "https://example.com/api", headers: [String: String] = [:],
        body: String? = nil
    ) throws -> ServiceRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.addFields(headers)
        request.httpBody = body.map { Data($0.utf8) }
        return ServiceRequest(request)
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "api_key",
        "apiKey", "apikey", "key", "token", "access_token", "refresh_token", "X-Amz-Security-Token",
        "secret", "client_secret", "password", "user[password]", "user%5Bpassword%5D",
        "passwords[]", "password_confirmation", "newPasswordRepeat", "user[passwordAgain]",
        "pass", "db-pass", "passcode", "user[pin]", "X-Pin", "cvv", "card.cvc", "pw", "bearer",
        "hash", "signature", "session_id", "sessionId", "X-CSRF", "DPoP", "jwt", "auth",
        "PASSWORD2", "token.value", "user.token.value", "token[value]",
        "token%5Bvalue%5D", "password[a][]", "my token[\u{301}a]",
    ])
    func secretNamesAreRecognized(_ name: String) throws {
        #expect(try request().isSecret(name))
    }

    @Test(arguments: [
        "name", "keyboard", "total_tokens", "Content-Type", "hashtag", "", "sidebar", "*",
        "spin", "compass", "shipping", "passenger", "pinned",
    ])
    func otherNamesAreNotSecret(_ name: String) throws {
        #expect(try !request().isSecret(name))
    }

    @Test func aServiceCanAddSecretNames() throws {
        var request = try request("https://example.com/?tenant_nip=1234&nip=1")
        #expect(!request.isSecret("tenant_nip"))
        request.secretNames = ["X-Tenant.Nip", "ts", "", "1"]
        let secret = ["x-tenant-nip", "xTenantNip", "X_TENANT_NIP[2]", "ts", "user[ts]", "X-Ts"]
        let encoded = ["user%5Bts%5D", "ts%5Ba%5D", "ts[a][b]", "user.ts.a"]
        #expect(encoded.filter(request.isSecret) == encoded)
        #expect(secret.filter(request.isSecret) == secret)
        let others = ["tenant_nip", "nip", "results", "tsx", "1", "", "xtenantnipped"]
        #expect(others.filter(request.isSecret) == [])
        request.secretNames = ["tenant nip", "ts"]
        let text = "a?tenant_nip=1234&nip=1&my[ts]=2&rights=3"
        #expect(request.redacting(text) == "a?tenant_nip=***&nip=1&my[ts]=***&rights=3")
        let json = #"{"results":[{"ts":"1","points":2}],"tenantNip":7}"#
        let shown = #"{"results":[{"points":2,"ts":"***"}],"tenantNip":"***"}"#
        #expect(request.redacting(json) == shown)
    }

    static let texts: [(String, String)] = [
        ("a=1&token=x%26y&b=2", "a=1&token=***&b=2"),
        ("token=", "token="),
        ("https://joe:pw@h/p?api_key=k&x=1#token=abc", "https://***@h/p?api_key=***&x=1#token=***"),
        ("see 'http://u@h/' and http://h/@x", "see 'http://***@h/' and http://h/@x"),
        ("user[password]=x&user%5Bpassword%5D=y", "user[password]=***&user%5Bpassword%5D=***"),
        (
            "to=https%3A%2F%2Fx%2F%3Ftoken%3Dabc%26b%3D1&z",
            "to=https%3A%2F%2Fx%2F%3Ftoken%3D***%26b%3D1&z"
        ),
        ("f=%7B%22token%22%3A%22abc%22%7D&q=1", "f=%7B%22token%22%3A%22***%22%7D&q=1"),
        ("/a=b?c=1&token%5Bx%5D=d", "/a=b?c=1&token%5Bx%5D=***"),
        ("/a=b?user%5Bkey%5D=c&d=e", "/a=b?user%5Bkey%5D=***&d=e"),
        ("to=https://h/cb?token%3Dabc&z", "to=https://h/cb?token%3D***&z"),
        ("to=https://h/cb?a%26token%3Dabc&c=d", "to=https://h/cb?a%26token%3D***&c=d"),
        (#"{"to":"/l?next=/cb?token%3Dabc"}"#, #"{"to":"/l?next=/cb?token%3D***"}"#),
        (#"{"a":"{\"b\":\"/l?token%3Dabc\"}"}"#, #"{"a":"{\"b\":\"/l?token%3D***\"}"}"#),
        ("token=a?b&c=d?token=e", "token=***&c=d?token=***"),
        (#"<a href="/x?token=abc">"#, #"<a href="/x?token=***">"#),
        (#"{"token":"abc def","b":1}"#, #"{"b":1,"token":"***"}"#),
        (#"{"password" : "a\"b\\", "x":"y"}"#, #"{"password":"***","x":"y"}"#),
        (#"{"key":123,"k":[1,2],"hash":null}"#, #"{"hash":"***","k":[1,2],"key":"***"}"#),
        (
            #"{"token":["a",{"b":"}"}],"c":{"key":{"d":1}}}"#,
            #"{"c":{"key":{"d":"***"}},"token":["***",{"b":"***"}]}"#
        ),
        (#"{"token":"","key":[]}"#, #"{"token":"","key":[]}"#),
        (#"{"url":"https://a:b@c/?key=1"}"#, #"{"url":"https://***@c/?key=***"}"#),
        ("{\"key\":\"a\\nb\",\n\"c\":1}", #"{"c":1,"key":"***"}"#),
        ("{\n \"b\" : 1.50,\n \"a\": 2 }", "{\n \"b\" : 1.50,\n \"a\": 2 }"),
        (#"{"key":[[[[[[[1]]]]]]],"a":"b"}"#, #"{"a":"b","key":[[[[[[["***"]]]]]]]}"#),
        ("nothing: 'key' is \"missing\"", "nothing: 'key' is \"missing\""),
    ]

    @Test(arguments: texts) func secretsInTextsAreRedacted(_ text: String, _ shown: String) throws {
        #expect(try request().redacting(text) == shown)
        #expect(try request().redacting(shown) == shown)
    }

    @Test(arguments: [
        (
            #"{"a":"{\"token\":\"ab\\\"c\",\"x\":\"y\"}","b":2}"#,
            #"{"a":"{\"token\":\"***\",\"x\":\"y\"}","b":2}"#
        ),
        (#"{"a":"{\"key\":12,\"x\":1}"}"#, #"{"a":"{\"key\":\"***\",\"x\":1}"}"#),
        (
            #"{"a":"5\" x","password":"b","c":"3\": y"}"#,
            #"{"a":"5\" x","c":"***","password":"***"}"#
        ),
        (
            #"{"a":"\"token\":","password":"b","c":"\"key\":{","hash":"d","e":"f"}"#,
            #"{"a":"***","c":"***","e":"f","hash":"***","password":"***"}"#
        ),
        (
            #"{"a":"b",": key":"c","d":"\\",":hash":"e"}"#,
            #"{": key":"***",":hash":"***","a":"b","d":"\\"}"#
        ),
        (#"{"a":"{\"key\":\"cut off","b":2}"#, #"{"a":"***","b":2}"#),
        (#"{"a":"https:\/\/joe:pw@h\/?key=b","b":2}"#, #"{"a":"https://***@h/?key=***","b":2}"#),
        (#"{"a":"to /?key=b\" and","b":2}"#, #"{"a":"to /?key=***\" and","b":2}"#),
    ])
    func secretsInNestedStringsAreRedacted(_ text: String, _ shown: String) throws {
        #expect(try request().redacting(text) == shown)
    }

    /// Incomplete JSON, and quoted secrets outside JSON.
    @Test(arguments: [
        #"{"token":"cut off"#, #"{"token":{"a":"cut off"#, #"{"password": 12"#,
        #"{"token":"abc",,}"#, #"{"token":"\x"}"#, #"[{"token":"abc"}"#, #""token":"abc""#,
        #"{"token":"a"},{"token":"b"}"#, #"5" and "key":"a", "b""#, #"data: {"token":"abc"}"#,
        #"\"token\":\"abc\""#, #"{"token" /* */ : "abc", "a": 1}"#, #"hash="a b""#,
        #""token=":"abc""#, #"f(["token" : 1])"#, "[\"key\",[\"\\\"token\\\" : 1\"]",
    ])
    func textsWithUnclearSecretsAreNotShown(_ text: String) throws {
        let shown = "(\(text.utf8.count) bytes that are not shown)"
        #expect(try request().redacting(text) == shown)
        #expect(try request().redacting(Data(text.utf8), ofType: "application/json") == nil)
        let header = #"h3=":443"; ma=86400"#
        #expect(try request().redacting(header) == header)
    }

    /// A JSON parser would keep only one of them.
    @Test(arguments: [
        #"{"a":"https://joe:canary@h/","a":"x"}"#, #"{"a":{"token":"canary"},"a":1}"#,
        #"[{"a":"x","a":"b?key=canary"},{"b":":"}]"#, #"{"a":{"token":"canary"},"\u0061":":\""}"#,
        #"{"in":"{\"a\":{\"token\":\"canary\"},\"a\":1}","b":2}"#,
    ])
    func repeatedNamesAreRedacted(_ text: String) throws {
        #expect(try !request().redacting(text).contains("canary"))
    }

    /// A server may repeat a part of a body that isn't JSON.
    @Test func secretsInInvalidJSONAreRedactedElsewhere() throws {
        let request = try request(body: #"{"token":"canary","a":1"#)
        #expect(request.redacting("no 'canary'") == "no '***'")
    }

    /// JSON can escape the same text in several ways.
    @Test func escapedSecretsInJSONAreRedacted() throws {
        let request = try request(body: #"{"token":"a\/canary"}"#)
        for text in ["a/canary", #"a\/canary"#, #""a\u002fcanary""#, #"["x a\/canar\u0079"]"#] {
            #expect(!request.redacting(text).contains("canar"), "\(text)")
        }
    }

    @Test(arguments: [
        ("Authorization", "Bearer abc", "Bearer ***"), ("authorization", "abc", "***"),
        ("Proxy-Authorization", "Basic YTpi", "Basic ***"), ("Cookie", "a=b; c=d", "***"),
        ("Set-Cookie", "a=b; Path=/", "***"), ("X-Api-Key", "bearer", "bearer ***"),
        ("Location", "https://a:b@c/?key=1&d=2", "https://***@c/?key=***&d=2"),
        ("Accept", "text/plain;q=1", "text/plain;q=1"),
    ])
    func secretsInHeadersAreRedacted(_ name: String, _ value: String, _ shown: String) throws {
        #expect(try request().redacting(value, ofHeader: name) == shown)
    }

    /// Servers repeat values of a request in other places and under other names.
    @Test(
        arguments: [
            ("https://h/?apikey=canary%201", [:], nil), ("https://canary%201@h/", [:], nil),
            ("https://h/", ["Authorization": "Bearer canary%201"], nil),
            ("https://h/", ["Cookie": "a=1; sid=canary%201"], nil),
            ("https://h/", [:], #"{"auth":{"user":["canary%201"]}}"#),
            ("https://h/", [:], "password=canary%201"),
            ("https://h/", [:], #"{"in":"{\"token\":\"canary%201\"}"}"#),
        ] as [(String, [String: String], String?)])
    func secretsRepeatedByTheServerAreRedacted(
        _ url: String, _ headers: [String: String], _ body: String?
    ) throws {
        let request = try request(url, headers: headers, body: body)
        let shown = transcribed(request.redacting("the 'canary%201' is bad"), as: .text)
        #expect(shown == "the '***' is bad")
        #expect(request.redacting("canary%201\u{301}") == "***\u{301}")
    }

    @Test(
        arguments: [
            ("application/json", "token=canary 1", "token=*** 1"), ("Text/Plain", "é", "é"),
            ("a/b+json; charset=utf-8", "\"\"", "\"\""), (nil, "a", nil), ("", "a", nil),
            ("application/x-www-form-urlencoded", "key=a", "key=***"), ("text/xml", "a", nil),
            ("application/xml", "a", nil), ("image/svg+xml", "a", nil), ("image/png", "a", nil),
            ("multipart/form-data; boundary=x", "a", nil), ("text/csv", "a\0b", nil),
            ("text/html; charset=ISO-8859-1", "\u{E9}", "\u{C3}\u{A9}"),
            ("text/html; charset=iso-8859-15", "a", "a"),
        ] as [(String?, String, String?)])
    func bodiesAreRedactedByContentType(_ type: String?, _ body: String, _ shown: String?) throws {
        #expect(try request().redacting(Data(body.utf8), ofType: type) == shown)
        let isLatin = type?.hasSuffix("8859-1") == true
        #expect((try request().redacting(Data([0xE9]), ofType: type) == "\u{E9}") == isLatin)
    }

    @Test func authenticationSchemesAreNotRedacted() throws {
        let request = try request(headers: ["Authorization": "Bearer abcdefgh"])
        #expect(request.redacting("Bearer realm=abcdefgh") == "Bearer realm=***")
    }

    @Test func shortSecretsAreNotSearchedFor() throws {
        let request = try request("https://h/?key=name")
        #expect(request.redacting(#"{"name":"Hulk"}"#) == #"{"name":"Hulk"}"#)
    }

    /// A server may repeat a digest in upper case.
    @Test func secretsInAnotherCaseAreRedacted() throws {
        let secret = "0a-caNAry-\u{E9}f"
        let request = try request(headers: ["X-Api-Key": secret])
        let upper = "0A-CANARY-\u{E9}F"
        for text in [
            "no key \(upper)!", "no key \(secret.lowercased())!", #"{"error":"no key \#(upper)!"}"#,
            "a?b=\(upper)&c=d", "<\(upper)>",
        ] {
            let shown = request.redacting(text)
            #expect(shown.contains("***") && !shown.lowercased().contains("canary"), "\(shown)")
            #expect(shown.contains("***!") == text.contains("!"), "\(shown)")
        }
        #expect(request.redacting("MARVEL, Canary") == "MARVEL, Canary")
    }

    /// Secrets are found however long the text around them is.
    @Test(
        .slow,
        arguments: [
            #"{"token":"x"#, #"{"token":"\n"#, "token=x", #"{"token":["a",x"#,
            "a=%7B%22token%22%3A%22x",
            "tokenx", #"{"token":{"a":"x"#, "//x",
        ])
    func secretsInLongTextsAreRedacted(_ text: String) throws {
        let unit = text.hasSuffix("n") ? "\\n" : text.hasPrefix("tokenx") ? "-" : "x"
        let long = text + String(repeating: unit, count: 300_000)
        let shown = try request().redacting(long + "\"}&key=canary \"key\":\"canary\"")
        #expect(!shown.contains("canary"))
        #expect(!text.contains("token\"") || !shown.contains("xxx"))
    }

    /// An invalid escape, or bytes that aren't UTF-8, must not keep the others encoded.
    @Test(arguments: ["%", "%zz", "%FF", "%C3", "%2"])
    func secretsNearInvalidEscapesAreRedacted(_ invalid: String) throws {
        let request = try request()
        for text in [
            "a?to=%3Ftoken%3Dcanary%26x%3D\(invalid)", "a?to=\(invalid)%26token%3Dcanary",
            "%74oken%5B\(invalid)%5D=canary", "a?b=1&to%6ben%FF=canary",
        ] {
            #expect(!request.redacting(text).contains("canary"), "\(text)")
        }
    }

    /// Each value contains the next one, escaped once more.
    @Test func secretsInNestedValuesAreRedacted() throws {
        func packed(_ levels: Int) -> String {
            (0..<levels).reduce("token=canary") { text, _ in
                let unreserved = CharacterSet.alphanumerics
                return "a=" + (text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
            }
        }
        for levels in [0, 1, 3, 4, 5, 9, 12] {
            #expect(try !request().redacting(packed(levels)).contains("canary"))
        }
        #expect(try request().redacting(packed(2)).contains("token"))
    }

    /// More than are compared.
    @Test(.slow, arguments: [10, 17, 18, 200])
    func manySecretsWithTheSameStartAreHidden(_ count: Int) throws {
        let secrets = (0..<count).map {
            "my pass; \($0 + 100)" + String(repeating: "-canary", count: $0)
        }
        let request = try TestService(method: .post, parameters: ["password": secrets]).request()
        for secret in secrets {
            let shown = request.redacting("the password '\(secret)' is too short")
            #expect(!shown.contains("canary") && !shown.contains("my pass"), "\(shown)")
        }
    }

    @Test(arguments: [
        "{'password': 'canary'}", "{password: canary}", #"{password: "canary"}"#,
        #"{"password":"canary""#,
        "[1, {'token': 'canary'", "\u{FEFF}{'password': 'canary'}",
    ])
    func invalidJSONIsLeftOut(_ text: String) throws {
        for type in ["application/json", "application/problem+json; charset=utf-8"] {
            let request = try request(headers: ["Content-Type": type], body: text)
            #expect(request.redacting(Data(text.utf8), ofType: type) == nil)
            #expect(!request.curl.contains("canary"))
        }
        let request = try request()
        #expect(request.redacting(Data("OK".utf8), ofType: "application/json") == "OK")
        #expect(request.redacting(Data(), ofType: "application/json") == "")
    }
}
