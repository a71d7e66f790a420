// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Errors as an `NSError`.
@Suite struct MoyaErrorTests {
    /// An error, and its code in Moya.
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let code: Int
        let hasCause: Bool
        let error: MoyaError

        init(_ name: String, code: Int, hasCause: Bool, _ error: MoyaError) {
            testDescription = name
            self.code = code
            self.hasCause = hasCause
            self.error = error
        }
    }

    static let response = Response(statusCode: 1, data: Data())
    static let cause = URLError(.timedOut)

    static let rows = [
        Row("imageMapping", code: 0, hasCause: false, .imageMapping(response)),
        Row("jsonMapping", code: 1, hasCause: false, .jsonMapping(response)),
        Row("stringMapping", code: 2, hasCause: false, .stringMapping(response)),
        Row("objectMapping", code: 3, hasCause: true, .objectMapping(cause, response)),
        Row("encodableMapping", code: 4, hasCause: true, .encodableMapping(cause)),
        Row("statusCode", code: 5, hasCause: false, .statusCode(response)),
        Row("underlying", code: 6, hasCause: true, .underlying(cause, nil)),
        Row("requestMapping", code: 7, hasCause: false, .requestMapping("")),
        Row("parameterEncoding", code: 8, hasCause: true, .parameterEncoding(cause)),
    ]

    @Test(arguments: ["https://example.com:canary/?key=canary", ""])
    func aURLThatIsNotValidIsNotShown(url: String) throws {
        let endpoint = Endpoint(
            url: url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
            task: .requestPlain, httpHeaderFields: nil)
        let error = try #require(throws: MoyaError.self) { try endpoint.urlRequest() }
        guard case .requestMapping(url) = error else {
            Issue.record(error)
            return
        }
        #expect(!texts(of: error).contains("canary"))
    }

    @Test(arguments: rows)
    func errorsHaveTheCodesOfMoya(row: Row) {
        #expect(row.error.errorCode == row.code)
        let cause = (row.error as NSError).userInfo[NSUnderlyingErrorKey] as? URLError
        #expect(cause == (row.hasCause ? Self.cause : nil))
    }
}
