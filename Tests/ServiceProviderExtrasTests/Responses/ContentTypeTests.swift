// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Responses with a content type that isn't accepted.
@Suite(.serialized, .opensFiles, .timeLimit) struct ContentTypeTests {
    let server: LoopbackServer
    let provider = ServiceProvider<TestService>()

    init() throws { server = try LoopbackServer() }

    private func response(_ type: String?, status: Int = 200, body: String = "{}")
        -> LoopbackResponse
    {
        let headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
        return LoopbackResponse(statusCode: status, headers: headers, body: .data(Data(body.utf8)))
    }

    static let accepted = [
        "application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=utf-8", " application/json ;x=y", "image/png", "IMAGE/svg+xml",
        "text/html",
    ]

    @Test(arguments: accepted) func acceptedContentTypesAreReturned(type: String) async throws {
        let service = server.responding(response(type))
        let provider = provider.accepting("application/json", "image/*", "text/HTML;q=0.5")
        #expect(try await provider.load(service: service) == Data("{}".utf8))
        let sent = server.requests.first?.header("Accept")
        #expect(sent == "application/json, image/*, text/HTML;q=0.5")
    }

    static let refused = [
        "text/plain", "application/hal+json", "application/jsonx", "application/jso",
        "application", "application/", "/json", "x-application/json", "imagex/png", "", "json",
        "text/plain; application/json", "application/xml, application/json",
    ]

    @Test(arguments: refused) func otherContentTypesAreRefused(type: String)
        async throws
    {
        let service = server.responding(response(type))
        let error = try await failure {
            _ = try await provider.accepting("application/json", "image/*").load(service: service)
        }
        guard case .decoding(let cause as ServiceContentTypeError, _, _) = error else {
            Issue.record(error)
            return
        }
        #expect(cause.contentType == type)
        #expect(error.response?.data == Data("{}".utf8))
        #expect(error.statusCode == 200)
        let text = "it has another content type, and 'application/json, image/*' is required."
        #expect(cause.localizedDescription == text)
        #expect(error.description.hasSuffix(" with an error of type 'ServiceContentTypeError'."))
    }

    @Test func aBodyWithoutATypeIsRefused() async throws {
        let service = server.responding(response(nil))
        let error = try await failure {
            _ = try await provider.accepting("*/*").load(service: service)
        }
        guard case .decoding(let cause, _, _) = error else {
            Issue.record(error)
            return
        }
        #expect(cause.localizedDescription == "it has no content type, and '*/*' is required.")
    }

    @Test(arguments: ["text/plain", "a/b"]) func anyContentTypeCanBeAccepted(type: String)
        async throws
    {
        let service = server.responding(response(type))
        #expect(try await provider.accepting("*/*").load(service: service).count == 2)
    }

    /// A response without a body needs no content type.
    @Test(arguments: ["text/plain", nil]) func emptyResponsesMayHaveAnyContentType(type: String?)
        async throws
    {
        let service = server.responding(response(type, body: ""))
        #expect(try await provider.accepting("image/png").load(service: service).isEmpty)
    }

    /// A failed call reports its status, not its content type.
    @Test func failedResponsesMayHaveAnyContentType() async throws {
        let service = server.responding(response("text/html", status: 502, body: "<p>"))
        let error = try await failure {
            _ = try await provider.accepting("image/png").load(service: service)
        }
        guard case .unacceptableStatus(let response) = error else {
            Issue.record(error)
            return
        }
        #expect(response.text == "<p>")
    }

    @Test func theServicesOwnAcceptHeaderIsKept() async throws {
        var service = server.responding(response("image/png"))
        service.headers = ["accept": "image/webp"]
        _ = try await provider.accepting("image/*").load(service: service)
        #expect(server.requests.first?.header("Accept") == "image/webp")
    }

    @Test func anInvalidAcceptHeaderIsNotSent() async throws {
        let service = server.responding(response("image/png"))
        let error = try await failure {
            _ = try await provider.accepting("a/b\r\nX: y").load(service: service)
        }
        #expect(error.invalidPart == .header)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func anEmptyDownloadMayHaveAnyContentType(_ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let provider = ServiceProvider<TestService>(transport: transport.make())
            .accepting("image/png")
        let service = server.responding(response("text/plain", body: ""))
        _ = try await provider.download(service: service, to: folder.file("empty"))
        let other = server.responding(response("text/plain"))
        let error = try await failure {
            _ = try await provider.download(service: other, to: folder.file("other"))
        }
        #expect(error.description.contains("'ServiceContentTypeError'"))
    }
}
