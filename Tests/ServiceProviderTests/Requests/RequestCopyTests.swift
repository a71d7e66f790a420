// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Copies of a request share their storage until one is changed.
@Suite(.serialized, .opensFiles, .timeLimit) struct RequestCopyTests {
    private enum Limit: ServiceRequestOption {
        static var defaultValue: Int? { 30 }
    }

    /// A nil that is set isn't the default.
    @Test func optionsHaveDefaults() throws {
        var request = try TestService().request()
        #expect(request[Limit.self] == 30)
        request[Limit.self] = nil
        #expect(request[Limit.self] == nil)
        request[Limit.self] = 4
        #expect(request[Limit.self] == 4)
    }

    @Test func changingACopyLeavesTheOriginalUnchanged() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let first = ServiceRequest(URLRequest(url: url))
        var second = first
        second.urlRequest.httpMethod = "PUT"
        second.validStatusCodes.insert(404)
        second.isRepeatable = true
        second.secretNames = ["pin"]
        var third = second
        third.secretNames.insert("code")
        #expect(first.urlRequest.httpMethod == "GET")
        #expect(first.validStatusCodes == Set(200...299))
        #expect(first.isRepeatable == nil)
        #expect(first.secretNames.isEmpty)
        #expect(first.sampleData.isEmpty)
        #expect(second.urlRequest.httpMethod == "PUT")
        #expect(second.secretNames == ["pin"])
        #expect(third.secretNames == ["pin", "code"])
        #expect(third.validStatusCodes.contains(404))
    }

    /// Each task changes its own copy of a shared request.
    @Test func copiesCanBeChangedConcurrently() async throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let shared = ServiceRequest(URLRequest(url: url))
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<2_000 {
                group.addTask {
                    var own = shared
                    own.urlRequest.httpMethod = "M\(index)"
                    own.secretNames.insert("\(index)")
                    let isOwn = own.urlRequest.httpMethod == "M\(index)"
                    return isOwn && own.secretNames == ["\(index)"]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(shared.urlRequest.httpMethod == "GET")
        #expect(shared.secretNames.isEmpty)
    }
}
