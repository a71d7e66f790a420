// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests the method and body of the request that follows a redirect (RFC 9110, section 15.4).
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectMethodTests {
    let first: LoopbackServer
    let second: LoopbackServer

    init() throws {
        (first, second) = (try LoopbackServer(), try LoopbackServer())
    }

    private static let withBody: [ServiceMethod] = [.post, .put, .patch, .delete]
    private static let methods: [ServiceMethod] = [.get, .head] + withBody
    private static let statuses = [301, 302, 303, 307, 308]
    /// Invalid as UTF-8 and as a header value.
    private static let content = Data([0, 255, 13, 10, 13, 10]) + Data("body".utf8)

    private func service(_ method: ServiceMethod) -> TestService {
        var service = first.service(method: method)
        if Self.withBody.contains(method) {
            service.body = .data(Self.content, contentType: "text/plain")
            service.headers = ["Content-Language": "de", "X-Kept": "1"]
        }
        return service
    }

    private static func following(_ method: ServiceMethod, _ status: Int) -> String {
        let becomesGet = status == 303 ? method != .head : status < 303 && method == .post
        return becomesGet ? "GET" : method.rawValue
    }

    @Test(.row("R9", "U7"), arguments: statuses, methods)
    func methodAndBodyOnTheSameOriginFollowTheRFC(status: Int, method: ServiceMethod) async throws {
        for transport in TransportUnderTest.allCases {
            first.enqueue(.redirect(to: "/there", statusCode: status), .text("there"))
            let outcome = await transport.provider().outcome(of: service(method))
            #expect(outcome.isSuccess)
            let (sent, followed) = try #require(first.requests.suffix(2).pair)
            #expect(sent.method == method.rawValue)
            #expect(followed.method == Self.following(method, status))
            #expect(followed.path == "/there")
            if followed.method == method.rawValue, Self.withBody.contains(method) {
                #expect(sent.body == Self.content)
                #expect(followed.body == Self.content)
                #expect(followed.header("Content-Type") == "text/plain")
                #expect(followed.header("Content-Language") == "de")
                #expect(followed.header("Content-Length") == "\(Self.content.count)")
            } else {
                #expect(followed.bodySize == 0)
                for name in ["Type", "Language", "Length"] {
                    #expect(followed.header("Content-\(name)") == nil)
                }
                #expect(followed.header("Transfer-Encoding") == nil)
            }
            #expect(followed.header("X-Kept") == sent.header("X-Kept"))
        }
        #expect(first.requests.count == 2 * TransportUnderTest.allCases.count)
    }

    /// If the redirected request would need the body, the redirect is returned instead.
    @Test(.row("R10"), arguments: statuses, methods)
    func bodiesAreNotSentToAnotherOrigin(status: Int, method: ServiceMethod) async throws {
        for transport in TransportUnderTest.allCases {
            let target = "\(second.baseURL)/there"
            first.enqueue(.redirect(to: target, statusCode: status))
            let outcome = await transport.provider().outcome(of: service(method))
            let follows = Self.following(method, status)
            if Self.withBody.contains(method), follows == method.rawValue {
                #expect(throws: ServiceError.self) { try outcome.get() }
                guard case .failure(let error) = outcome else { continue }
                #expect(error.unacceptableStatus == status)
                #expect(error.response?.header("Location") == target)
                #expect(second.isUntouched)
            } else {
                #expect(second.requests.last?.method == follows)
                #expect(second.requests.last?.bodySize == 0)
                #expect(second.requests.last?.header("Content-Type") == nil)
            }
        }
    }
}

extension Collection {
    fileprivate var pair: (Element, Element)? {
        count == 2 ? (self[startIndex], self[index(after: startIndex)]) : nil
    }
}
