// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Endpoints that use an option and a body kind of this package.
enum HeroService {
    case list
    case add([[String]])
    case busy
}

extension HeroService: Service {
    var baseURL: String { "https://heroes.example.com" }

    var path: String {
        switch self {
        case .list, .add: "/heroes"
        case .busy: "/busy"
        }
    }

    var method: ServiceMethod {
        switch self {
        case .list, .busy: .get
        case .add: .post
        }
    }

    var body: ServiceBody? {
        switch self {
        case .list, .busy: nil
        case .add(let rows): .csv(rows)
        }
    }

    func prepare(_ request: inout ServiceRequest) throws {
        guard case .add = self else { return }
        request.traceName = "add"
        request.isRepeatable = true
    }
}

/// Extends ServiceProvider through its public API: with an interceptor, an option, a body kind, a
/// transport, a body sink and a response helper. Exits with 1 if one of them doesn't work.
@main struct OutsidePackage {
    /// Responds to `/heroes`, `/busy` and `/text`. The first POST gets a 503, and its retry succeeds.
    static let transport = InMemoryTransport { request in
        let fields = request.allHTTPHeaderFields ?? [:]
        var canned = InMemoryTransport.Canned()
        canned.headers = ["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "59"]
        switch request.url?.path {
        case "/heroes" where request.httpMethod == "GET":
            canned.chunks = ["[\"Hulk\"", fields["X-Trace"] == nil ? "]" : ", 1]"]
        case "/heroes" where fields["X-Trace"] == "add, again":
            let body = request.httpBody.map { String(decoding: $0, as: UTF8.self) }
            canned.chunks = [fields["Content-Type"] ?? "", "\n", body ?? ""]
        case "/heroes": canned.status = 503
        case "/text": canned.chunks = ["one", "two", "three"]
        default:
            canned.status = 429
            canned.headers["X-RateLimit-Remaining"] = "0"
        }
        return canned
    }

    static let provider = ServiceProvider<HeroService>(
        transport: transport, interceptors: [Tracing()])

    static func main() async throws {
        let names = try await provider.load(service: .list, decodeType: [String].self)
        check("the transport", names == ["Hulk"])

        let response = try await provider.response(service: .list)
        check("the response helper", response.rateLimit == RateLimit(remaining: 59, limit: 60))
        let busy = await failure { try await provider.load(service: .busy) }
        check("the error helper", busy?.rateLimit == RateLimit(remaining: 0, limit: 60))

        let rows = [["Hulk", "says \"hi\""], ["Thor", ""]]
        let data = try await provider.load(service: .add(rows))
        let expected = "text/csv; charset=utf-8\nHulk,\"says \"\"hi\"\"\"\r\nThor,\r\n"
        check("the interceptor, the option and the body", data == Data(expected.utf8))
        let refused = await failure { try await provider.load(service: .add([["a\0b"]])) }
        check("an invalid body", refused?.description.contains("null character") == true)

        try await checkSinks()
    }

    static func checkSinks() async throws {
        guard let url = URL(string: "https://heroes.example.com/text") else { exit(1) }
        var request = ServiceRequest(URLRequest(url: url))
        let sink = ChunkCollector(.sink)
        request.bodySink = sink
        let empty = try await provider.pipeline.send(request).data.isEmpty
        check("a body that goes to a sink", empty && sink.text == "one|two|three|.")

        let observer = ChunkCollector(.memory)
        request.bodySink = observer
        let body = try await provider.pipeline.send(request).data
        check("a sink that observes", body.count == 11 && observer.text == sink.text)

        let stopped = ChunkCollector(.sink, limit: 2)
        request.bodySink = stopped
        let cancelled = await failure { try await provider.pipeline.send(request).data }
        guard case .cancelled = cancelled else { return check("a call that a sink cancels", false) }
        check("a sink that cancels", stopped.text == "one|two|!")

        let stream = ChunkCollector(.stream)
        request.bodySink = stream
        _ = try await provider.pipeline.send(request)
        while !stream.text.hasSuffix(".") { await Task.yield() }
        check("a stream", stream.text == sink.text)
    }

    nonisolated(nonsending) static func failure(
        _ call: () async throws -> Data
    ) async -> ServiceError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return ServiceError(error)
        }
    }

    static func check(_ name: String, _ isRight: Bool) {
        print(isRight ? "ok:" : "failed:", name)
        if !isRight { exit(1) }
    }
}
