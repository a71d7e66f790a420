// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

/// Stubs deliver bodies to files and streams like a transport does.
@Suite(.serialized, .opensFiles, .timeLimit) struct StubDeliveryTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func aStubCanBeDownloaded() async throws {
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [
                .json("{}"), .json("missing", statusCode: 404), .statusCode(200),
            ])
        )
        let response = try await provider.download(
            service: TestService(), to: folder.file("a.json"))
        #expect(folder.text(of: "a.json") == "{}")
        #expect(response.data.isEmpty)

        let error = try await failure {
            try await provider.download(service: TestService(), to: folder.file("b.json"))
        }
        #expect(error.unacceptableStatus == 404)
        #expect(error.response?.data == Data("missing".utf8))
        #expect(folder.names == ["a.json"])

        try await provider.download(service: TestService(), to: folder.file("c.json"))
        #expect(folder.text(of: "c.json") == "")
    }

    @Test func aFailedDownloadLeavesNoFile() async throws {
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.error(URLError(.networkConnectionLost))]))
        let error = try await failure {
            try await provider.download(service: TestService(), to: folder.file("a.json"))
        }
        #expect(error.urlErrorCode == .networkConnectionLost)
        #expect(folder.names == [])
    }

    @Test func aStubCanBeStreamed() async throws {
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.data(Data("a\nb\n\nc".utf8)), .statusCode(500)]))
        let stream = try await provider.stream(service: TestService())
        #expect(stream.response.statusCode == 200)
        var lines: [String] = []
        for try await line in stream.lines() { lines.append(line) }
        #expect(lines == ["a", "b", "", "c"])
        let error = try await failure { _ = try await provider.stream(service: TestService()) }
        #expect(error.unacceptableStatus == 500)
    }

    @Test func stubbedEventsAreDelivered() async throws {
        let text = "event: tick\ndata: 1\n\ndata: 2\n\n"
        let type = ["Content-Type": "text/event-stream"]
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.data(Data(text.utf8), headers: type)]))
        var events: [String] = []
        for try await event in try provider.events(service: TestService()) {
            events.append("\(event.name) \(event.data)")
        }
        #expect(events == ["tick 1", "message 2"])
    }

    /// An error thrown by a body sink ends the call. If `receive` throws it, the sink's `end` gets
    /// it.
    @Test(arguments: [nil, "begin", "receive"])
    func errorsOfABodySinkEndTheCall(_ step: String?) async throws {
        struct Full: Error {}
        final class Delivery: ServiceBodySink {
            let step: String?
            let log = Locked<[String]>([])
            init(_ step: String?) { self.step = step }
            func note(_ name: String) throws {
                log { $0.append(name) }
                if name == step { throw Full() }
            }
            var destination: ServiceBodyDestination { .sink }
            func didSend(_ sent: Int64) {}
            func begin(_: ServiceResponse, control: ServiceTransferControl) throws {
                try note("begin")
            }
            func receive(_: Data) throws { try note("receive") }
            func end(_ error: (any Error)?) {
                log { $0.append(error is Full ? "end full" : "end") }
            }
        }
        let delivery = Delivery(step)
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.json("{}")]),
            interceptors: [Intercept.changing { $0.bodySink = delivery }])
        if step == nil {
            #expect(try await provider.load(service: TestService()) == Data())
        } else {
            let error = try await failure { try await provider.load(service: TestService()) }
            guard case .interceptor(let cause) = error else {
                Issue.record(error)
                return
            }
            #expect(cause is Full)
        }
        let expected =
            switch step {
            case nil: ["begin", "receive", "end"]
            case "begin": ["begin"]
            default: ["begin", "receive", "end full"]
            }
        #expect(delivery.log { $0 } == expected)
    }

    @Test func stubsReportProgress() async throws {
        let states = Locked<[ServiceProgress]>([])
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.data(Data("hello".utf8))]),
            interceptors: [
                Intercept.changing { $0.reportProgress { state in states { $0.append(state) } } }
            ])
        let service = TestService(method: .post, body: .data(Data("abc".utf8)))
        _ = try await provider.load(service: service)
        let last = try #require(states { $0.last })
        #expect((last.sent, last.totalToSend) == (3, 3))
        #expect((last.received, last.totalToReceive) == (5, 5))
        #expect(states { $0.first?.received } == 0)
    }

    /// The body isn't in memory, and the stub doesn't open it.
    @Test func stubsDoNotOpenUploads() async throws {
        let stubs = ServiceStubs(responses: [.statusCode(201)])
        let provider = ServiceProvider<TestService>(stubs: stubs)
        try folder.write("text", to: "upload.txt")
        let isOpened = Locked(false)
        let opening = Intercept.changing { request in
            request.upload = {
                isOpened { $0 = true }
                throw URLError(.fileDoesNotExist)
            }
        }
        let service = TestService(method: .put, body: .file(folder.file("upload.txt")))
        let response = try await provider.wrapped(in: opening).response(service: service)
        #expect(response.statusCode == 201)
        #expect(!isOpened { $0 })
        #expect(stubs.requests.first?.upload != nil)
    }
}
