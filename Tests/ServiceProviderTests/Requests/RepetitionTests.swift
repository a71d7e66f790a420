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

/// Which requests may be sent twice: the one rule that transports and interceptors ask.
@Suite struct RepetitionTests {
    private static let post = ServiceMethod.post

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"])
    func idempotentMethodsMayBeRepeated(_ method: String) throws {
        let service = TestService(method: ServiceMethod(rawValue: method))
        #expect(try service.request().mayBeRepeated())
    }

    @Test(arguments: ["POST", "PATCH", "PURGE"])
    func otherMethodsNeedAKey(_ method: String) throws {
        var service = TestService(method: ServiceMethod(rawValue: method))
        #expect(try !service.request().mayBeRepeated())
        service.headers = ["idempotency-key": "1"]
        #expect(try service.request().mayBeRepeated())
    }

    @Test func theMethodsCanBeChosen() throws {
        let request = try TestService(method: .post).request()
        #expect(request.mayBeRepeated(ifMethodIn: [.post]))
        #expect(try !TestService().request().mayBeRepeated(ifMethodIn: [.post]))
    }

    @Test(arguments: [ServiceMethod.get, .post], [true, false])
    func isRepeatableOverridesMethodAndKey(_ method: ServiceMethod, _ isRepeatable: Bool) throws {
        let service = TestService(
            method: method, headers: ["Idempotency-Key": "1"], isRepeatable: isRepeatable)
        #expect(try service.request().mayBeRepeated() == isRepeatable)
        #expect(try service.request().mayBeRepeated(ifMethodIn: []) == isRepeatable)
    }

    /// It can be read only once.
    @Test func aStreamIsNeverRepeated() throws {
        var request = try TestService(method: .put, isRepeatable: true).request()
        #expect(!request.hasBody)
        request.urlRequest.httpBodyStream = InputStream(data: Data("a".utf8))
        #expect(request.hasBody)
        #expect(!request.mayBeRepeated())
    }

    @Test func anUploadMayBeRepeated() throws {
        var request = try TestService(method: .put).request()
        request.upload = { (InputStream(data: Data("a".utf8)), 1) }
        #expect(request.hasBody)
        #expect(request.mayBeRepeated())
    }
}
