// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Settings of an encoding that change where and how parameters are written.
@Suite struct ParameterSeamTests {
    @Test func parametersCanBeWrittenByAClosure() throws {
        var encoding = ServiceParameterEncoding()
        encoding.write = { parameters, isJSON in "\(isJSON)-\(parameters.count)" }
        let parameters: [String: Any] = ["a": 1, "b": 2]
        #expect(try ParameterText.query(parameters, encoding) == "false-2")
        #expect(try ParameterText.form(parameters, encoding) == "false-2")
        #expect(try ParameterText.json(parameters, encoding) == "true-2")
    }

    /// URLComponents traps if a query has other characters.
    @Test(arguments: [
        ("q=a b", "q=a%20b"), ("a[]=1&b=%5B", "a%5B%5D=1&b=%5B"), ("\u{FC}=#", "%C3%BC=%23"),
        ("%zz%", "%25zz%25"), ("a=b/c?d:e@f!g$h'i(j)k*l+m,n;o", "a=b/c?d:e@f!g$h'i(j)k*l+m,n;o"),
        ("a=\r\n\u{0}", "a=%0D%0A%00"), ("q=1\u{301}", "q=1%CC%81"),
    ])
    func illegalCharactersFromAClosureAreEncoded(_ written: String, _ sent: String) throws {
        var encoding = ServiceParameterEncoding()
        encoding.write = { _, _ in written }
        #expect(try ParameterText.query(["a": 1], encoding) == sent)
        #expect(try ParameterText.form(["a": 1], encoding) == sent)
        #expect(try ParameterText.json(["a": 1], encoding) == written)
    }

    @Test func errorsOfTheClosureAreInvalidRequests() throws {
        struct Refused: Error {}
        var encoding = ServiceParameterEncoding()
        encoding.write = { _, _ in throw Refused() }
        let service = TestService(parameters: ["a": 1], parameterEncoding: encoding)
        #expect(service.refusal()?.part == .parameter)
    }
}
