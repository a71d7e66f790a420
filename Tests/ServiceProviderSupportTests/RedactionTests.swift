// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderSupport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RedactionTests {
    private let request = ServiceRequest(URLRequest(url: URL(filePath: "/")))

    @Test(
        .row("H1"),
        arguments: [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "api_key",
            "apiKey", "apikey", "key", "token", "access_token", "refresh_token",
            "X-Amz-Security-Token",
            "secret", "client_secret", "password", "user[password]", "user%5Bpassword%5D",
            "passwords[]", "password_confirmation", "newPasswordRepeat", "user[passwordAgain]",
            "pass", "db-pass", "passcode", "user[pin]", "X-Pin", "cvv", "card.cvc", "pw", "bearer",
            "hash", "signature", "session_id", "sessionId", "X-CSRF", "DPoP", "jwt", "auth",
            "PASSWORD2", "pass_word_hint", "token.value", "user.token.value", "token[value]",
            "token%5Bvalue%5D", "password[a][]", "my token[\u{301}a]",
            "tokens", "user[tokens]", "refresh_tokens", "apiKeys", "secrets", "credentials",
            "cookies",
            "hashes", "pins", "id_token_hint", "code_verifier", "oauth_verifier", "device_code",
            "SAMLResponse", "ticket", "appid", "AWSAccessKeyId", "otp_code", "securityCode",
        ])
    func secretNamesAreRecognized(_ name: String) {
        #expect(request.isSecret(name))
    }

    @Test(arguments: [
        "max_tokens", "x-ratelimit-remaining-tokens", "app_id", "code", "country_code", "tickets",
        "name", "keyboard", "total_tokens", "Content-Type", "hashtag", "", "sidebar", "*",
        "spin", "compass", "shipping", "passenger", "pinned",
    ])
    func otherNamesAreNotSecret(_ name: String) {
        #expect(!request.isSecret(name))
    }

    @Test func aServiceCanAddSecretNames() {
        var request = request
        #expect(!request.isSecret("tenant_nip"))
        request.secretNames = ["X-Tenant.Nip", "ts", "", "1"]
        let secret = ["x-tenant-nip", "xTenantNip", "X_TENANT_NIP[2]", "ts", "user[ts]", "X-Ts"]
        let encoded = ["user%5Bts%5D", "ts%5Ba%5D", "ts[a][b]", "user.ts.a"]
        #expect(encoded.filter(request.isSecret) == encoded)
        #expect(secret.filter(request.isSecret) == secret)
        let others = ["tenant_nip", "nip", "results", "tsx", "1", "", "xtenantnipped"]
        #expect(others.filter(request.isSecret) == [])
        request.secretNames = ["tenant nip", "ts", "ETag"]
        let shown = request.redacting(url: "a?tenant_nip=1234&nip=1&my[ts]=2&rights=3")
        #expect(shown == "a?tenant_nip=***&nip=1&my[ts]=***&rights=3")
        // It would be harmless.
        #expect(request.redacting("abc", ofHeader: "etag") == "***")
    }

    @Test(
        .row("H7"),
        arguments: [
            ("", ""), ("https://h", "https://h"), ("https://h/@a?b=c@d#e", "https://h/@a?b=c@d#e"),
            (
                "https://joe:pw@h/p?api_key=k&x=1#token=a",
                "https://***@h/p?api_key=***&x=1#token=***"
            ),
            ("https://joe@h", "https://***@h"), ("//joe:pw@h/", "//***@h/"),
            ("https://joe:p%40w%2F@h/", "https://***@h/"),
            ("https://j;o&e:p=w;@h/", "https://***@h/"),
            ("/a;jsessionid=1;v=2/b;c?d=e", "/a;jsessionid=***;v=2/b;c?d=e"),
            ("#access_token=a?b;c&d=e", "#access_token=***&d=e"),
            ("?token=a?b;c#d", "?token=***#d"),
            ("?token=&token&key==", "?token=&token&key=***"), ("?q=a%20b+100%", "?q=a%20b+100%"),
            ("?user[key]=a&user%5Bkey%5D=b", "?user[key]=***&user%5Bkey%5D=***"),
            ("?to=https://u:p@h/&a=%2Fb%3Fc%3Dd", "?to=***&a=%2Fb%3Fc%3Dd"),
            ("?to=https%3A%2F%2Fu%3Ap%40h%2F", "?to=***"),
            ("?to=/l?a=1%26token%3Db&c", "?to=***&c"),
            ("?to=%252Fl%253Ftoken%253Da", "?to=***"), ("?a&b%26token%3D1&c", "?a&***&c"),
            ("?f={\"token\":1}&g=[{\"a\":1}]", "?f=***&g=[{\"a\":1}]"),
            ("?f=%7B%22a%22%3A%22%7B%5C%22token%5C%22%3A1%7D%22%7D", "?f=***"),
            ("?a=%zz%26token%3Db%FF", "?a=***"), ("?%74oken%5B%=a", "?%74oken%5B%=***"),
            ("?to=https://***@h/?key=***", "?to=https://***@h/?key=***"),
            ("?query=mutation%7Blogin(password:%22a%22)%7D", "?query=***"),
            ("?query=mutation+%7Blogin(password+:+%22a%22)%7D&b=c", "?query=***&b=c"),
            ("?query=mutation{login(pin:123)}", "?query=***"),
            ("?query=mutation{login(a:1,token:[%22b%22])}", "?query=***"),
            (
                "?query=q($token:String!){a(token:$token){b}}",
                "?query=q($token:String!){a(token:$token){b}}"
            ),
            ("?query=%7Bhero(id:7)%7Bname%7D%7D", "?query=%7Bhero(id:7)%7Bname%7D%7D"),
            ("?url=http://auth:80/a&time=12:30:45", "?url=http://auth:80/a&time=12:30:45"),
            ("?url=http://[::1]:80/&a=(:1&b=/:1", "?url=http://[::1]:80/&a=(:1&b=/:1"),
            ("?v=%20%7B%22token%22:1%7D", "?v=***"),
            ("?v=%22%7B%5C%22token%5C%22:1%7D%22", "?v=***"),
            ("?v=%7B%22t%5Cu006fken%22:1%7D", "?v=***"),
            ("?v=f(%7B%22token%22:true%7D)", "?v=f(%7B%22token%22:true%7D)"),
        ])
    func secretsInURLsAreHidden(_ url: String, _ shown: String) {
        #expect(request.redacting(url: url) == shown)
        #expect(request.redacting(url: shown) == shown)
    }

    /// A colon of any text may look like that of an argument.
    @Test func anyByteMayBeBeforeAColon() throws {
        for byte in UInt8.min...UInt8.max {
            for start in ["", "a", "("] {
                let text = start + String(decoding: [byte], as: UTF8.self) + ":1"
                let json = try JSONEncoder().encode([text])
                #expect(request.redacting(json, ofType: "application/json") != nil)
            }
        }
    }

    /// Each value contains the next one, escaped once more.
    @Test(.row("Z24"), arguments: [0, 1, 2, 3, 4, 5, 9, 12])
    func secretsInNestedValuesAreHidden(_ levels: Int) {
        for secret in ["token=canary", "https://u:canary@h/", "{\"key\":\"canary\"}"] {
            let url = (0..<levels).reduce("a=" + secret) { text, _ in
                "a=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
            }
            #expect(!request.redacting(url: "?" + url).contains("canary"))
        }
    }

    static let json: [(String, String)] = [
        (
            #"{"a":1,"token":"b c","d":[-1.5e3,true,null]}"#,
            #"{"a":1,"token":"***","d":[-1.5e3,true,null]}"#
        ),
        (
            #"{"token":12,"a":{"key":{"b":[1,{"c":"}"}]},"hash":[]},"pin":false}"#,
            #"{"token":"***","a":{"key":"***","hash":"***"},"pin":"***"}"#
        ),
        (
            "{\n \"key\" : {\"a\": 1} ,\r\t\"b\" : 1.50 }",
            "{\n \"key\" : \"***\" ,\r\t\"b\" : 1.50 }"
        ),
        (#"{"token":"","key":null,"a":{}}"#, #"{"token":"***","key":"***","a":{}}"#),
        (
            #"[{"password":"a\"b\\","x":"y"},"token",":"]"#,
            #"[{"password":"***","x":"y"},"token",":"]"#
        ),
        (
            #"{"a":1,"a":{"t\u006fken":"b"},"tok\/en":"c"}"#,
            #"{"a":1,"a":{"t\u006fken":"***"},"tok\/en":"***"}"#
        ),
        (#"{"url":"https://a:b@c/?key=1&d=e"}"#, #"{"url":"https://***@c/?key=***&d=e"}"#),
        (
            #"["https:\/\/a:b@c\/","/?a=1\u0026key\u003d2","\/?a=b\ud83d"]"#,
            #"["***","***","***"]"#
        ),
        (#"{"a":"{\"token\":\"b\"}","b":"{\"c\":1}"}"#, #"{"a":"***","b":"{\"c\":1}"}"#),
        (#" "token=a" "#, #" "token=***" "#), ("12", "12"), ("[]", "[]"),
        (#"{"query":"mutation{login(pin: 1234)}","a":"b"}"#, #"{"query":"***","a":"b"}"#),
        (
            #"{"query":"mutation {\n login(user: \"a\", password: \"b\") { id }\n}"}"#,
            #"{"query":"***"}"#
        ),
        (
            #"{"query":"mutation($password: String!) { login(password: $password) { id } }"}"#,
            #"{"query":"mutation($password: String!) { login(password: $password) { id } }"}"#
        ),
        (#"{"a":"[{\"b\":\"{\\\"t\\u006fken\\\":1}\"}]"}"#, #"{"a":"***"}"#),
    ]

    @Test(arguments: json) func secretsInJSONAreHidden(_ json: String, _ shown: String) {
        for type in ["application/json", "a/b+json; charset=utf-8"] {
            #expect(request.redacting(Data(json.utf8), ofType: type) == shown)
            #expect(request.redacting(Data(shown.utf8), ofType: type) == shown)
        }
    }

    @Test(arguments: [
        "", " ", #"{"token":"cut off"#, #"{"a":"cut off\""#, #"{"a":12"#, #"{"a":1,}"#, "[1,]",
        #"{"a":1,,"b":2}"#, #"{"a" 1}"#, #"{"a"}"#, #"{"a":}"#, "{1:2}", "[1 2]", "[1}", "]", ",",
        #"{"a":1}{"b":2}"#, "[1]:", "{'token': 'a'}", "{token: 1}", "[canary]", "\"a\nb\"",
        #"{"a":1} token=b"#, "[\0]", "token=a", #"f({"token":1})"#, "[[1]",
        #"{"a":1]"#,
    ])
    func invalidJSONIsLeftOut(_ text: String) {
        #expect(request.redacting(Data(text.utf8), ofType: "application/json") == nil)
    }

    @Test(
        .row("H1"),
        arguments: [
            ("Authorization", "Bearer abc", "***"), ("authorization", "abc", "***"),
            ("Proxy-Authorization", "Basic YTpi", "***"), ("Cookie", "a=b; c=d", "***"),
            ("Set-Cookie", "a=b; Path=/", "***"), ("X-Api-Key", "bearer", "***"),
            ("X-Anything", "abc", "***"), ("X-Marks\u{301}", "abc", "***"), ("", "abc", "***"),
            ("Location", "https://a:b@c/?key=1&d=2", "https://***@c/?key=***&d=2"),
            (
                "Link", "<https://h/?key=1>; rel=next, </b?c=d>;a=\"e\"",
                "<https://h/?key=***>; rel=next, </b?c=d>;a=\"e\""
            ),
            ("Link", "https://h/?key=1", "https://h/?key=***"),
            ("Refresh", "1; url=/?token=a", "***"),
            ("Accept", "text/plain;q=1", "text/plain;q=1"), ("ETag", "\"a\"", "\"a\""),
            ("traceparent", "00-0af7-b7ad-01", "00-0af7-b7ad-01"), ("tracestate", "a=b", "a=b"),
            ("X-RateLimit-Remaining", "5", "5"), ("Content-Type", "a/b; key=c", "a/b; key=c"),
        ])
    func onlyHarmlessHeadersAreShown(_ name: String, _ value: String, _ shown: String) {
        #expect(request.redacting(value, ofHeader: name) == shown)
        #expect(request.redacting(value, ofHeader: name.lowercased()) == shown)
    }

    @Test(
        arguments: [
            ("application/x-www-form-urlencoded", "key=a#?;b&c=d", "key=***&c=d"),
            ("Application/JSON; charset=iso-8859-1", "\"\u{E9}\"", "\"\u{C3}\u{A9}\""),
            ("application/json; charset=utf-16le", "1\0", "1"),
            ("application/json; charset=koi8-r", "1", nil),
            ("text/plain", "a", nil), (nil, "1", nil), ("text/html", "a", nil),
            ("text/xml", "a", nil),
            ("multipart/form-data; boundary=x", "a", nil), ("image/png", "a", nil),
        ] as [(String?, String, String?)])
    func bodiesAreShownByTheirType(_ type: String?, _ body: String, _ shown: String?) {
        #expect(request.redacting(Data(body.utf8), ofType: type) == shown)
        #expect(request.redacting(Data([0x22, 0xFF, 0x22]), ofType: "application/json") == nil)
    }
}
