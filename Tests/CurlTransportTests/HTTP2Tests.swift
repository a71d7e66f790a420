// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// The folder in which `.ci/check-http2` keeps its certificates and the ports of its server.
private let folder = ProcessInfo.processInfo.environment["HTTP2_FOLDER"]

/// Tests CurlTransport with an HTTP/2 server that misbehaves on purpose. Not serialized, because most
/// cases take as long as a timeout.
@Suite(.enabled(if: folder != nil, "needs .ci/check-http2"), .opensFiles(400), .timeLimit)
struct HTTP2Tests {
    /// The server's record of the requests with one ID.
    struct Log: Decodable {
        let requests: Int
        let connections: [Int]
        let resets: [Int]
    }

    static func service(
        _ name: String, _ id: String, on listener: String = "h2", host: String = "127.0.0.1",
        method: ServiceMethod = .get, bytes: Int? = nil, timeout: TimeInterval = 60
    ) throws -> TestService {
        let file = URL(fileURLWithPath: try #require(folder) + "/ports.json")
        let ports = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: file))
        return TestService(
            baseURL: "https://\(host):\(try #require(ports[listener]))", path: "/\(name)/\(id)",
            method: method, body: bytes.map { .data(Data(count: $0)) }, timeout: timeout)
    }

    static func client(
        _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) throws -> ServiceProvider<TestService> {
        let authority = URL(fileURLWithPath: try #require(folder) + "/ca.pem")
        return try provider {
            $0.certificateAuthorities = authority
            change(&$0)
        }
    }

    /// Returns what the server saw. Uses its own connection.
    static func log(_ id: String) async throws -> Log {
        try await client().load(service: service("log", id), decodeType: Log.self)
    }

    static func outcome(
        of service: TestService, _ provider: ServiceProvider<TestService>
    ) async -> HTTP2Case.Outcome {
        switch await provider.outcome(of: service) {
        case .success(let response): .text(String(decoding: response.data, as: UTF8.self))
        case .failure(.unacceptableStatus(let response)): .status(response.statusCode)
        case .failure(let error): .code(error.urlErrorCode)
        }
    }

    @Test(.row("F22", "T7"), arguments: HTTP2Case.all)
    func eachResponseHasItsOutcome(_ sample: HTTP2Case) async throws {
        // The responses that never end are stopped by one of these limits.
        let isSilent = sample.outcomes.contains(.code(.timedOut))
        let provider = try Self.client {
            $0.maximumBodySize = 4_000_000
        }.wrapped(in: ServiceDeadline(isSilent ? 3 : 60))
        let id = UUID().uuidString
        let service = try Self.service(
            sample.name, id, on: sample.listener, timeout: isSilent ? 2 : 60)
        let outcome = try await within(seconds: 100) { await Self.outcome(of: service, provider) }
        #expect(sample.outcomes.contains(outcome), "\(outcome)")
        let requests = try await Self.log(id).requests
        // On a busy machine, the time may be over before the server reads the request.
        #expect(requests == sample.requests || isSilent && requests == 0)
        // Nothing of it is left for the next call. It's retried, because libcurl may close the
        // connection of an attack a little later.
        let next = try Self.service("ok", "next")
        // "one" is the response over HTTP/1.1.
        let text = try await provider.wrapped(in: ServiceRetry()).text(of: next)
        #expect(text == "hello" || text == "one" && sample.name == "needs-http1", "\(text)")
    }

    /// libcurl takes a stream that the server resets without an error for one that has ended. Only
    /// the length or the coding of the body shows that it's incomplete.
    @Test(.row("F19")) func aResetWithoutAnErrorEndsABodyWithoutALength() async throws {
        let provider = try Self.client()
        #expect(try await provider.text(of: Self.service("reset-in-body-no-error", "0")) == "hello")
        #expect(try await provider.text(of: Self.service("reset-after-head", "0")) == "")
        for name in ["reset-in-known-body", "zipped-and-reset"] {
            #expect(await provider.code(of: try Self.service(name, "0")) != nil, "\(name)")
        }
    }

    /// The server says that it hasn't processed the request (RFC 9113, section 8.7).
    @Test(.row("T7"), arguments: [ServiceMethod.put, .post], [false, true])
    func aRefusedRequestIsSentAgain(_ method: ServiceMethod, _ isReused: Bool) async throws {
        let (provider, id) = (try Self.client(), UUID().uuidString)
        if isReused { _ = try await provider.text(of: Self.service("ok", "first")) }
        let service = try Self.service("refused-once", id, method: method, bytes: 1_000)
        let outcome = await Self.outcome(of: service, provider)
        let log = try await Self.log(id)
        if isReused, method == .post {
            // To libcurl, it looks like a lost connection.
            #expect(outcome == .code(.networkConnectionLost))
            #expect(log.requests == 1)
        } else {
            #expect(outcome == .text("1000"))
            #expect(log.requests == 2)
            #expect(Set(log.connections).count == 2)
        }
    }

    @Test(.row("T7"), arguments: [ServiceMethod.put, .post])
    func aRequestThatIsRefusedAgainIsSentTwice(_ method: ServiceMethod) async throws {
        let id = UUID().uuidString
        let service = try Self.service("refused-always", id, method: method, bytes: 1_000)
        let outcome = await Self.outcome(of: service, try Self.client())
        #expect(outcome == .code(.networkConnectionLost))
        #expect(try await Self.log(id).requests == 2)
    }

    /// If the connection ends, a request is sent again if that is safe.
    @Test(.row("T7"), arguments: [false, true])
    func onlyRepeatableRequestsAreSentTwice(_ isReused: Bool) async throws {
        let once = [(HTTP2Case.Outcome.code(.networkConnectionLost), 1)]
        let twice = [(HTTP2Case.Outcome.text("1000"), 2)]
        for (name, method, ends) in [
            ("goaway-once", ServiceMethod.put, twice),
            // GOAWAY says that the server hasn't processed it (RFC 9113, section 6.8), so either is right.
            ("goaway-once", .post, once + twice),
            ("close-once", .post, once),
        ] {
            let (provider, id) = (try Self.client(), UUID().uuidString)
            if isReused { _ = try await provider.text(of: Self.service("ok", "first")) }
            let service = try Self.service(name, id, method: method, bytes: 1_000)
            let outcome = await Self.outcome(of: service, provider)
            let count = try await Self.log(id).requests
            #expect(
                ends.contains { $0 == (outcome, count) }, "\(name) \(method) \(outcome) \(count)")
        }
    }

    @Test(.row("F23"), arguments: ["early-refusal-with-reset", "early-refusal-without-reset"])
    func anEarlyResponseToAnUploadIsReturned(_ name: String) async throws {
        let (provider, id) = (try Self.client(), UUID().uuidString)
        let service = try Self.service(name, id, method: .post, bytes: 3_000_000)
        #expect(await Self.outcome(of: service, provider) == .status(413))
        #expect(try await Self.log(id).requests == 1)
        let small = try Self.service("length", "next", method: .post, bytes: 10)
        #expect(try await provider.text(of: small) == "10")
    }

    /// The sequence waits, alone on its connection or not: before its first chunk, after a short one, or after
    /// one that is longer than the window, so that the response can arrive before its end.
    @Test(
        arguments: [
            "early-length", "early-200", "misdirected", "early-refusal-with-reset",
            "early-refusal-without-reset",
        ], [true, false])
    func anEarlyResponseEndsASequenceThatWaits(_ name: String, _ isShared: Bool) async throws {
        let provider = try Self.client()
        _ = try await provider.text(of: Self.service("ok", "first"))
        let other = try await isShared ? Self.silence(provider) : nil
        defer { other?.cancel() }
        let service = try Self.service(name, "0", method: .post)
        for size in [5, 1_000_000, 0] {
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            if size > 0 { source.yield(Data(count: size)) }
            let status = try await within(seconds: 100) {
                do {
                    return try await provider.upload(service: service, chunks: chunks).statusCode
                } catch let error as ServiceError {
                    return error.unacceptableStatus ?? -(error.urlErrorCode?.rawValue ?? 0)
                }
            }
            let refused = name == "misdirected" ? 421 : 413
            #expect(status == (["early-length", "early-200"].contains(name) ? 200 : refused))
            source.finish()
        }
    }

    /// The sink pauses, and another call joins the connection: then libcurl watches its socket for that call.
    @Test(arguments: [false, true])
    func aCallInBothDirectionsIsComplete(_ isShared: Bool) async throws {
        for _ in 0..<10 {
            let provider = try Self.client()
            let sink = PausingSink()
            var service = try Self.service("both-ways", "0", method: .post)
            service.change = { $0.bodySink = sink }
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data("first".utf8))
            let call = Task { [service] in
                try await provider.upload(service: service, chunks: chunks)
            }
            await sink.begun.reach(1)
            let other = try await isShared ? Self.silence(provider) : nil
            defer { other?.cancel() }
            sink.pause(false)
            while sink.state({ $0.received }) == 0 { await Task.yield() }
            // The call must not end before this.
            for _ in 0..<100 { await Task.yield() }
            source.yield(Data("second".utf8))
            source.finish()
            let response = try await within(seconds: 60) { try await call.value }
            #expect(response.statusCode == 200)
            #expect(sink.state { $0.received } == "first".count + "last 11".count)
        }
    }

    /// libcurl's text has the field, which isn't valid. It must not be shown, or be taken for libcurl's own words.
    @Test(.row("F19"), arguments: ["early-trailer-secret", "early-trailer-reset", "secret-field"])
    func anErrorDoesNotQuoteTheServer(_ name: String) async throws {
        let service = try Self.service(name, "0", method: .post, timeout: 10)
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("first".utf8))
        let error = try await within(seconds: 60) {
            try await failure { try await Self.client().upload(service: service, chunks: chunks) }
        }
        #expect(error.urlErrorCode == .networkConnectionLost)
        #expect(!"\(error)".contains("SECRETVALUE") && !"\(error)".contains("reset by curl"))
        source.finish()
    }

    /// libcurl shuts down such a connection, but doesn't always end the transfer while its upload is paused.
    @Test(arguments: ["settings-of-odd-length", "frame-size-small", "short-ping", "ok"])
    func aFailedConnectionEndsASequenceThatWaits(_ name: String) async throws {
        let provider = try Self.client()
        // The silent listener sends no SETTINGS first.
        let listener = name == "ok" ? "silent" : "h2"
        let service = try Self.service(name, "0", on: listener, method: .post, timeout: 1)
        for _ in 0..<10 {
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            // Less than the server's patience.
            let error = try await within(seconds: 15) {
                try await failure {
                    try await provider.upload(service: service, chunks: chunks)
                }
            }
            #expect([.networkConnectionLost, .timedOut].contains(error.urlErrorCode))
            source.finish()
        }
    }

    /// libcurl resets the stream after such a response.
    @Test(arguments: [
        "misdirected", "early-refusal-with-reset", "early-refusal-without-reset",
    ])
    func anEarlyResponseOnASharedConnectionIsReturned(_ name: String) async throws {
        let provider = try Self.client()
        _ = try await provider.text(of: Self.service("ok", "first"))
        let other = try await Self.silence(provider)
        defer { other.cancel() }
        let service = try Self.service(name, "0", method: .post, bytes: 3_000_000)
        let outcome = try await within(seconds: 100) { await Self.outcome(of: service, provider) }
        #expect(outcome == .status(name == "misdirected" ? 421 : 413))
    }

    /// Starts a call that never ends, and returns when its request has arrived.
    static func silence(
        _ provider: ServiceProvider<TestService>
    ) async throws -> Task<URLError.Code?, Never> {
        let id = UUID().uuidString
        let service = try Self.service("silence", id, timeout: 3_000)
        let call = Task { await provider.code(of: service) }
        while try await Self.log(id).requests == 0 {}
        return call
    }

    @Test(.row("F23")) func uploadsObeyTheWindows() async throws {
        let provider = try Self.client()
        let large = try Self.service("length", "0", method: .post, bytes: 1_000_000)
        #expect(try await provider.text(of: large) == "1000000")
        let slow = try Self.service(
            "one-byte-windows", "0", on: "window1", method: .post, bytes: 200)
        #expect(try await provider.text(of: slow) == "200")
        let shrinking = try Self.service("shrinking-window", "0", method: .post, bytes: 100_000)
        #expect(try await provider.text(of: shrinking) == "100000")
        let stuck = try Self.service(
            "length", "0", on: "window0", method: .post, bytes: 100_000, timeout: 1)
        #expect(await provider.code(of: stuck) == .timedOut)
    }

    /// How long the sequence waits after each chunk, in milliseconds.
    @Test(
        arguments: [("one-byte-windows", "window1"), ("length", "h2")],
        [[0, 0, 0], [20, 20, 20]])
    func aSequenceThatWaitsObeysTheWindows(
        _ server: (name: String, listener: String), _ waits: [Int]
    ) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let service = try Self.service(
            server.name, "0", on: server.listener, method: .post, timeout: 10)
        let provider = try Self.client()
        let upload = Task { try await provider.upload(service: service, chunks: chunks) }
        for wait in waits {
            source.yield(Data(count: 30))
            try await Task.sleep(for: .milliseconds(wait))
        }
        source.finish()
        let response = try await within(seconds: 100) { try await upload.value }
        #expect(String(decoding: response.data, as: UTF8.self) == "90")
    }

    @Test(arguments: [("one-byte-windows", "window1"), ("length", "h2")])
    func aSequenceThatWaitsTooLongTimesOut(_ name: String, _ listener: String) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data(count: 30))
        let service = try Self.service(name, "0", on: listener, method: .post, timeout: 1)
        let error = try await within(seconds: 15) {
            try await failure {
                try await Self.client().upload(service: service, chunks: chunks)
            }
        }
        #expect(error.urlErrorCode == .timedOut)
        source.finish()
    }

    @Test(.row("F23")) func anInterruptedUploadIsSentOnce() async throws {
        let (provider, id) = (try Self.client(), UUID().uuidString)
        let service = try Self.service(
            "close-during-upload", id, method: .post, bytes: 3_000_000)
        #expect(await provider.code(of: service) == .networkConnectionLost)
        #expect(try await Self.log(id).requests == 1)
    }

    /// A reset stream doesn't affect the others on its connection.
    @Test(.row("F22")) func everySecondStreamIsReset() async throws {
        let provider = try Self.client()
        _ = try await provider.text(of: Self.service("ok", "first"))
        let outcomes = try await withThrowingTaskGroup(of: (String, HTTP2Case.Outcome).self) {
            group in
            for number in 0..<60 {
                let service = try Self.service("reset-every-second", "\(number)")
                group.addTask { ("\(number)", await Self.outcome(of: service, provider)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let lost = outcomes.filter { $0.1 == .code(.networkConnectionLost) }
        let whole = outcomes.filter { $0.1 == .text($0.0 + $0.0) }
        #expect(lost.count + whole.count == 60 && lost.count == 30, "\(outcomes)")
    }

    /// Control characters can't add a header field.
    @Test(.row("F22"), arguments: ["field-null", "field-line-feed", "field-carriage-return"])
    func fieldsWithControlCharactersAreDropped(_ name: String) async throws {
        let response = try await Self.client().response(service: Self.service(name, "0"))
        #expect(response.headers.isEmpty, "\(response.headers)")
    }

    @Test func aRedirectToAnotherOriginHasNoSecrets() async throws {
        var service = try Self.service("redirect", "0")
        service.headers = ["Authorization": "Bearer secret", "X-Api-Key": "secret"]
        let text = try await Self.client().text(of: service)
        #expect(text.contains(":path") && !text.contains("secret"), "\(text)")
    }

    /// A cancelled call resets its stream, and the connection stays.
    @Test func cancelledCallsResetTheirStreams() async throws {
        let provider = try Self.client()
        _ = try await provider.text(of: Self.service("ok", "first"))
        let id = UUID().uuidString
        let service = try Self.service("silence", id)
        for _ in 0..<100 {
            let task = Task { await provider.code(of: service) }
            if Bool.random() { _ = try await provider.text(of: Self.service("ok", "other")) }
            task.cancel()
            _ = await task.value
        }
        #expect(try await provider.text(of: Self.service("ok", "last")) == "hello")
        let log = try await Self.log(id)
        #expect(Set(log.connections).count == 1 && !log.resets.isEmpty, "\(log)")
    }

    @Test func manyLargeBodiesAreComplete() async throws {
        let provider = try Self.client()
        let service = try Self.service("large", "0")
        let body = Data((0..<(1 << 21)).map { UInt8(truncatingIfNeeded: $0) })
        let stream = try await provider.stream(service: service)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 { group.addTask { try await provider.load(service: service) } }
            for try await data in group { #expect(data == body) }
        }
        // This one hasn't been read so far.
        var read = Data()
        for try await chunk in stream { read += chunk }
        #expect(read == body)
    }
}
#endif
