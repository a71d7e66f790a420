// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

private struct Hero: Codable, Sendable {
    let id: Int
    let name: String
    var powers: [String]?
}

@Suite(.serialized, .opensFiles, .timeLimit) struct CallTests {
    private let server: LoopbackServer
    private let endpoint: Endpoint

    init() throws {
        server = try LoopbackServer()
        endpoint = Endpoint(baseURL: server.baseURL, path: "/heroes")
    }

    /// The result that a handler gets.
    private func result(
        _ provider: ServiceProvider<Endpoint> = .init()
    ) async -> Result<Hero?, ServiceError> {
        await withCheckedContinuation { continuation in
            provider.load(service: endpoint, decodeType: Hero.self) { result in
                switch result {
                case .success(let hero): continuation.resume(returning: .success(hero))
                case .failure(let error): continuation.resume(returning: .failure(error))
                case .empty: continuation.resume(returning: .success(nil))
                }
            }
        }
    }

    private func failure() async throws -> ServiceError {
        do {
            _ = try await ServiceProvider<Endpoint>().load(service: endpoint, decodeType: Hero.self)
        } catch {
            return try #require(error as? ServiceError)
        }
        throw CancellationError()
    }

    @Test func responsesHaveStatusHeadersAndBody() async throws {
        server.enqueue(.text("body", statusCode: 201).header("X-Name", "value"))
        let response = try await ServiceProvider<Endpoint>().response(service: endpoint)
        #expect(response.statusCode == 201)
        #expect(response.data == Data("body".utf8))
        #expect(
            response.headers.contains { $0.key.lowercased() == "x-name" && $0.value == "value" })
        #expect(response.request.urlRequest.url?.path == "/heroes")
    }

    @Test func headersAreFoundInAnyCaseAndWithoutBlanks() async throws {
        server.enqueue(.text("body").header("ETag", "\"1\"").header("X-Name", "a b \t"))
        let response = try await ServiceProvider<Endpoint>().response(service: endpoint)
        for name in ["ETag", "etag", "ETAG"] {
            #expect(response.header(name) == "\"1\"")
        }
        #expect(response.header("x-name") == "a b")
        #expect(response.header("X-Other") == nil)
    }

    @Test func aPrintedResponseHasNoHeadersAndNoBody() async throws {
        server.enqueue(.text("hunter2").header("Set-Cookie", "sid=hunter2"))
        let response = try await ServiceProvider<Endpoint>().response(service: endpoint)
        var dumped = ""
        dump(response, to: &dumped)
        for text in ["\(response)", String(reflecting: response), "\([response])", dumped] {
            #expect(!text.contains("hunter2"))
        }
        #expect("\(response)" == "200, 7 bytes, for GET /heroes")
    }

    @Test func largeBodiesArriveWhole() async throws {
        let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0) })
        server.enqueue(.data(body))
        #expect(try await ServiceProvider<Endpoint>().load(service: endpoint) == body)
    }

    @Test func bodiesAndHeadersAreSent() async throws {
        var endpoint = endpoint
        endpoint.method = .patch
        endpoint.headers = ["X-Name": "caf\u{E9}"]
        endpoint.body = .data(Data(repeating: 7, count: 1_000_000), contentType: "text/plain")
        server.enqueue(.text("ok"))
        try await ServiceProvider<Endpoint>().load(service: endpoint)
        let request = try #require(server.requests.first)
        #expect(request.method == "PATCH")
        #expect(request.header("X-Name") == "caf\u{E9}")
        #expect(request.header("Content-Type") == "text/plain")
        #expect(request.bodySize == 1_000_000)
    }

    @Test func handlersGetValues() async throws {
        server.enqueue(.json(#"{"id": 1, "name": "Thor"}"#))
        #expect(try await result().get()?.name == "Thor")
    }

    @Test func handlersGetEmptyForAnEmptyBody() async throws {
        server.enqueue(.statusCode(204))
        #expect(try await result().get() == nil)
    }

    @Test func handlersGetErrors() async {
        server.enqueue(.statusCode(500))
        guard case .failure(.unacceptableStatus) = await result() else {
            Issue.record("The call didn't fail.")
            return
        }
    }

    @Test func handlersOfInvalidRequestsRunLaterOnTheMainQueue() async throws {
        let hasReturned = Locked(false)
        let isLater = await withCheckedContinuation { continuation in
            let endpoint = Endpoint(baseURL: "")
            Task { @MainActor in
                ServiceProvider<Endpoint>().load(service: endpoint) { _ in
                    dispatchPrecondition(condition: .onQueue(.main))
                    continuation.resume(returning: hasReturned { $0 })
                }
                hasReturned { $0 = true }
            }
        }
        #expect(isLater)
    }

    @Test func emptyBodiesAreEmptyData() async throws {
        server.enqueue(.statusCode(204))
        #expect(try await ServiceProvider<Endpoint>().load(service: endpoint).isEmpty)
        server.enqueue(.statusCode(204))
        let data = try await ServiceProvider<Endpoint>().load(
            service: endpoint, decodeType: Data.self)
        #expect(data.isEmpty)
    }

    @Test func anEmptyBodyIsNoValue() async throws {
        server.enqueue(.statusCode(204))
        guard case .emptyResponse(let response) = try await failure() else {
            Issue.record("It isn't an empty response.")
            return
        }
        #expect(response.statusCode == 204)
    }

    @Test(arguments: [100, 199, 304, 400, 401, 404, 418, 500, 599])
    func otherStatusesAreErrors(_ status: Int) async throws {
        let provider = ServiceProvider<Endpoint>(interceptors: [
            Stub(statusCode: status, data: Data(#"{"id": 7, "name": "error"}"#.utf8))
        ])
        let error = try #require(await endpoint.failure(provider))
        #expect(error.statusCode == status)
        #expect(try error.response?.decode(Hero.self).id == 7)
        #expect("\(error)".contains("\(status)"))
    }

    @Test func valuesThatCannotBeDecodedAreErrors() async throws {
        let bodies: KeyValuePairs = [
            "{": "Hero", "[]": "Hero", #"{"id": 1}"#: "name", #"{"id": 1, "name": 2}"#: "name",
            #"{"id": null, "name": "a"}"#: "id",
            #"{"id": 1, "name": "a", "powers": [1]}"#: "powers",
        ]
        for (body, place) in bodies {
            server.enqueue(.json(body))
            let error = try await failure()
            guard case .decoding(_, let response, let type) = error else {
                Issue.record(error)
                continue
            }
            #expect(response.data == Data(body.utf8))
            #expect(type == "Hero")
            #expect("\(error)".contains(place))
            #expect("\(error)".contains("Hero"))
        }
    }

    @Test func aServerThatIsDownIsATransportError() async throws {
        server.stop()
        guard case .transport = try await failure() else {
            Issue.record("It isn't a transport error.")
            return
        }
    }

    @Test func aConnectionThatClosesIsATransportError() async throws {
        server.enqueue(.text("long body").cut(.close, afterBodyBytes: 3))
        guard case .transport = try await failure() else {
            Issue.record("It isn't a transport error.")
            return
        }
    }

    /// With URLSession on Linux, a Basic challenge would never end.
    @Test(arguments: ["Basic realm=a", "Bearer realm=a, Basic realm=b", "Bearer", "Digest realm=a"])
    func aRefusedLoginEnds(_ challenge: String) async throws {
        server.enqueue(.text("no", statusCode: 401).header("WWW-Authenticate", challenge))
        let error = try await failure()
        #expect(error.statusCode == 401)
        let headers = try #require(error.response?.headers)
        #expect(headers.contains { $0.key.lowercased() == "www-authenticate" })
    }

    @Test func aGetHasNoBody() async throws {
        var endpoint = endpoint
        endpoint.body = .data(Data([1]))
        guard case .invalidRequest(.body, _) = await endpoint.failure(.init()) else {
            Issue.record("It isn't an invalid body.")
            return
        }
        #expect(server.requests.isEmpty)
    }

    @Test func aSlowServerIsATimeout() async throws {
        server.enqueue(.never)
        var endpoint = endpoint
        endpoint.change = { $0.urlRequest.timeoutInterval = 0.5 }
        guard case .transport(let error) = await endpoint.failure(.init()) else {
            Issue.record("It isn't a transport error.")
            return
        }
        #expect(error.code == .timedOut)
    }

    @Test func hugeTimeoutsAreSent() async throws {
        for seconds in [TimeInterval.infinity, 1e300, .greatestFiniteMagnitude] {
            var endpoint = endpoint
            endpoint.change = { $0.urlRequest.timeoutInterval = seconds }
            server.enqueue(.text("ok"))
            #expect(try await ServiceProvider<Endpoint>().load(service: endpoint).count == 2)
        }
    }

    /// Not JSON, so a text keeps its quotation marks.
    @Test func aStringIsTheText() async throws {
        server.enqueue(.text(#""Thör""#), .text("Thor"), .data(Data([0xFF])))
        let provider = ServiceProvider<Endpoint>()
        let text = try await provider.load(service: endpoint, decodeType: String.self)
        #expect(text == #""Thör""#)
        let other = try await provider.load(service: endpoint, decodeType: String?.self)
        #expect(other == "Thor")
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: endpoint, decodeType: String.self)
        }
        guard case .decoding = error else {
            Issue.record("It isn't a decoding error.")
            return
        }
    }

    @Test func decodersAreUsed() async throws {
        struct Event: Decodable {
            let date: Date
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        server.enqueue(.json(#"{"date": "2026-11-27T00:00:00Z"}"#))
        let provider = ServiceProvider<Endpoint>(decoder: decoder)
        let event = try await provider.load(service: endpoint, decodeType: Event.self)
        #expect(event.date == Date(timeIntervalSince1970: 1_795_737_600))
    }

    @Test func manyCallsRunAtOnce() async throws {
        let server = try LoopbackServer { .text($0.query ?? "") }
        let endpoint = Endpoint(baseURL: server.baseURL)
        let provider = ServiceProvider<Endpoint>()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    var endpoint = endpoint
                    endpoint.parameters = ["number": number]
                    return try await provider.load(service: endpoint)
                        == Data("number=\(number)".utf8)
                }
            }
            for try await isRight in group {
                #expect(isRight)
            }
        }
    }
}
