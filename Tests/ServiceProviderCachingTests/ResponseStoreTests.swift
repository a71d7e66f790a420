// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import TestSupport
import Testing

/// Stores responses as bytes, like a disk.
private actor Disk: ServiceResponseStore {
    private(set) var files: [String: Data] = [:]
    private(set) var removals: [String] = []
    /// Whether it forgets each response after returning it.
    let isForgetful: Bool

    init(isForgetful: Bool = false, _ files: [String: Data] = [:]) {
        (self.isForgetful, self.files) = (isForgetful, files)
    }

    func response(for url: String) -> ServiceStoredResponse? {
        defer { if isForgetful { files[url] = nil } }
        return files[url].flatMap {
            try? JSONDecoder().decode(ServiceStoredResponse.self, from: $0)
        }
    }

    func store(_ response: ServiceStoredResponse, for url: String) {
        files[url] = try? JSONEncoder().encode(response)
    }

    func removeResponse(for url: String) {
        removals.append(url)
        files[url] = nil
    }

    func removeAll() { files = [:] }
}

/// Stores only JSON, which it treats as fresh for an hour.
private actor Selective: ServiceResponseStore {
    private let disk = Disk()

    func response(for url: String) async -> ServiceStoredResponse? { await disk.response(for: url) }

    func store(_ response: ServiceStoredResponse, for url: String) async {
        guard response.headers["content-type"] == "application/json" else { return }
        var response = response
        response.headers["cache-control"] = "max-age=3600"
        await disk.store(response, for: url)
    }

    func removeResponse(for url: String) async { await disk.removeResponse(for: url) }
    func removeAll() async { await disk.removeAll() }
}

/// Runs other code at a moment of a call, as another task may.
private actor Interrupted: ServiceResponseStore {
    enum Moment: CaseIterable { case lookup, request, storing, removal }

    let disk = Disk()
    private(set) var storedCount = 0
    private var interruption: (moment: Moment, work: @Sendable () async -> Void)?

    func interrupt(_ moment: Moment, _ work: @escaping @Sendable () async -> Void) {
        interruption = (moment, work)
    }

    func pass(_ moment: Moment) async {
        guard let (expected, work) = interruption, moment == expected else { return }
        interruption = nil
        await work()
    }

    func response(for url: String) async -> ServiceStoredResponse? {
        let response = await disk.response(for: url)
        await pass(.lookup)
        return response
    }

    func store(_ response: ServiceStoredResponse, for url: String) async {
        storedCount += 1
        await disk.store(response, for: url)
        await pass(.storing)
    }

    func removeResponse(for url: String) async { await disk.removeResponse(for: url) }

    func removeAll() async {
        await pass(.removal)
        await disk.removeAll()
    }
}

@Suite(.serialized, .opensFiles, .timeLimit) struct ResponseStoreTests {
    /// Uses its own cookie storage, because all tests share the system's.
    private func provider(
        _ store: any ServiceResponseStore, _ inner: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        ServiceProvider(
            transport: URLSessionTransport(configuration: .ephemeral),
            interceptors: [ServiceCache(store: store)] + inner)
    }

    @Test func aCustomStoreOutlivesTheInterceptor() async throws {
        let (server, disk) = (try Resource().server(), Disk())
        #expect(try await provider(disk).texts(of: server.service(), 1) == ["one"])
        #expect(try await provider(disk).texts(of: server.service(), 1) == ["one"])
        #expect(server.tags == [nil, "\"1\""])
        #expect(await disk.files.keys.sorted() == [server.baseURL + "/start"])
        _ = await provider(disk).outcome(of: server.service(method: .delete))
        #expect(await disk.files.isEmpty)
    }

    @Test(.row("C21")) func aStoreDecidesWhatIsStored() async throws {
        let server = try LoopbackServer { request in
            request.path == "/json"
                ? .json("1").header("ETag", "\"a\"") : .text("2").header("ETag", "\"b\"")
        }
        let provider = provider(Selective())
        for path in ["/json", "/text"] {
            for _ in 0..<3 { _ = try await provider.load(service: server.service(path)) }
        }
        #expect(server.requests.map(\.path) == ["/json", "/text", "/text", "/text"])
        #expect(server.requests.allSatisfy { $0.header("If-None-Match") == nil })
    }

    /// A running call holds its stored response, even if the store forgets it.
    @Test func aCallHoldsAResponseThatTheStoreForgets() async throws {
        let (server, disk) = (try Resource().server(), Disk(isForgetful: true))
        #expect(try await provider(disk).texts(of: server.service(), 3) == ["one", "one", "one"])
        #expect(server.tags == [nil, "\"1\"", "\"1\""])
    }

    /// Checks the store's keys, and the headers of requests and responses.
    @Test(arguments: [
        ("header", "X-Api-Key"), ("bearer", "Authorization"), ("query", ""),
        ("response", "Set-Cookie"),
    ])
    func theStoreGetsNoSecrets(_ kind: String, _ name: String) async throws {
        let secret = canary("store \(kind)")
        let isResponse = kind == "response"
        let resource = Resource(.init(headers: isResponse ? [(name, "id=\(secret)")] : []))
        let (server, disk) = (try resource.server(), Disk())
        var service = server.service()
        if kind == "query" { service.baseURL += "?api_key=\(secret)" }
        if kind == "header" || kind == "bearer" { service.headers = [name: secret] }
        let provider = provider(disk)
        #expect(try await provider.texts(of: service) == ["one", "one"])
        #expect(server.tags == [nil, "\"1\""])
        let files = await disk.files
        let all = files.map { "\($0) \(String(decoding: $1, as: UTF8.self))" }.joined()
        #expect(!transcribed(all, as: .text).contains(secret))
        #expect(files.count == (isResponse ? 1 : 0))
        // Also after a 304, and with a secret that an inner interceptor adds.
        let signing = Intercept.changing { try? $0.setHeader("X-Session-Token", to: secret) }
        #expect(
            try await self.provider(disk, signing).texts(of: server.service()) == ["one", "one"])
        let rest = await disk.files.map { "\($0) \(String(decoding: $1, as: UTF8.self))" }
        #expect(!transcribed(rest.joined(), as: .text).contains(secret))
        // The store isn't asked to remove a key that contains a secret.
        resource.change { $0.headers.append(("Cache-Control", "no-store")) }
        _ = try await provider.texts(of: service)
        service.method = .delete
        #expect(await provider.outcome(of: service).isSuccess)
        let removals = await disk.removals
        #expect(!transcribed(removals.joined(separator: "\n"), as: .text).contains(secret))
        #expect(Set(removals) == (kind == "query" ? [] : [server.baseURL + "/start"]))
    }

    /// The body and the credentials repeat words of the URL, as if those were secret.
    @Test func aChangeIsRemovedFromTheStoreWhateverItSends() async throws {
        let server = try LoopbackServer { request in
            .text(request.method).header("Cache-Control", "max-age=60")
        }
        let (disk, path) = (Disk(), "/settings/background-color")
        let provider = provider(disk)
        _ = try await provider.load(service: server.service(path))
        #expect(await disk.files.count == 1)
        var change = server.service(path, method: .put)
        change.parameters = ["key": "background-color", "value": "red"]
        change.headers = ["Authorization": "Basic \(Data("settings:x".utf8).base64EncodedString())"]
        _ = try await provider.load(service: change)
        #expect(await disk.files.isEmpty)
    }

    /// The redirected request changed the resource at its second URL.
    @Test(.row("R21"), arguments: [307, 308, 303])
    func aRedirectedChangeIsRemoved(_ status: Int) async throws {
        let server = try LoopbackServer { request in
            let isMoved = request.method == "PUT" && request.path == "/items/5"
            return isMoved
                ? .redirect(to: "/items/5/", statusCode: status)
                : .text("a").header("Cache-Control", "max-age=60")
        }
        let disk = Disk()
        let provider = provider(disk)
        _ = try await provider.load(service: server.service("/items/5/"))
        _ = try await provider.load(service: server.service("/items/5", method: .put))
        // A 303 is followed by a GET, which changes nothing.
        #expect(await disk.files.count == (status == 303 ? 1 : 0))
    }

    /// The body may repeat it.
    @Test(.row("R20", "H9")) func aResponseAfterASecretURLIsNotStored() async throws {
        let server = try LoopbackServer { request in
            request.path == "/1"
                ? .text("a").header("Cache-Control", "max-age=60") : .redirect(to: "/1")
        }
        let disk = Disk()
        var service = server.service("/0")
        service.parameters = ["key": canary("key")]
        _ = try await provider(disk).load(service: service)
        #expect(await disk.files.isEmpty)
    }

    /// URLSession sends the languages of the user.
    @Test func anotherLanguageIsAnotherResponse() async throws {
        let server = try LoopbackServer { _ in
            .text("a").header("Cache-Control", "max-age=60").header("Vary", "Accept-Language")
        }
        let disk = Disk()
        #expect(try await provider(disk).texts(of: server.service()) == ["a", "a"])
        #expect(server.requests.count == 1)
        let url = server.baseURL + "/start"
        var stored = try #require(await disk.response(for: url))
        stored.varyHeaders["accept-language"] = "tlh"
        await disk.store(stored, for: url)
        #expect(try await provider(disk).texts(of: server.service()) == ["a", "a"])
        #expect(server.requests.count == 2)
    }

    private static let now = Date()

    static let garbage: [ServiceStoredResponse] = [
        .init(headers: [:], data: Data(), varyHeaders: [:], created: now),
        .init(headers: ["etag": "a\r\nX: y"], data: Data(), varyHeaders: [:], created: now),
        .init(headers: ["etag": "a\u{7F}"], data: Data(), varyHeaders: [:], created: now),
        .init(
            headers: ["etag": "\u{0}", "last-modified": "\n"], data: Data(), varyHeaders: [:],
            created: now),
        .init(
            headers: ["": "", "\u{0}": "\r\n", ":": ":"], data: Data(), varyHeaders: [:],
            created: now),
        .init(
            headers: ["etag": "\"old\"", "vary": ",,;\u{0}"], data: Data(), varyHeaders: [:],
            created: now),
        .init(headers: ["etag": "\"old\""], data: Data(), varyHeaders: ["": "\u{0}"], created: now),
    ]

    @Test(arguments: garbage)
    func aStoreWithGarbageDoesNotFailCalls(_ entry: ServiceStoredResponse) async throws {
        let server = try Resource().server()
        let bytes = try JSONEncoder().encode(entry)
        let disk = Disk([server.baseURL + "/start": bytes])
        #expect(try await provider(disk).texts(of: server.service()) == ["one", "one"])
        #expect(server.tags.last == "\"1\"")
    }

    /// Even if the server confirms it with a 304.
    @Test func confirmedGarbageDoesNotFailCalls() async throws {
        let server = try LoopbackServer { _ in .statusCode(304) }
        let fields = [
            "etag": "\"1\"", "content-length": "-9", "content-type": ";;", "x\r\ny": "\u{0}",
            "content-disposition": "attachment; filename=\"",
        ]
        let entry = ServiceStoredResponse(
            headers: fields, data: Data("x".utf8), varyHeaders: [:], created: Self.now)
        let disk = Disk([server.baseURL + "/start": try JSONEncoder().encode(entry)])
        #expect(try await provider(disk).texts(of: server.service(), 1) == ["x"])
    }

    // MARK: - Memory

    private func load(
        _ paths: [String], _ provider: ServiceProvider<TestService>, _ server: LoopbackServer
    ) async throws {
        for path in paths { _ = try await provider.load(service: server.service(path)) }
    }

    #if os(Linux)
    /// Small responses take more memory than their text.
    @Test(.slow, .disabled(if: isUnderThreadSanitizer || isUnderAddressSanitizer))
    func memoryHoldsManySmallResponsesWithinItsLimit() async throws {
        await #expect(processExitsWith: .success) {
            let provider = ServiceProvider<TestService>(
                transport: StubTransport { request in
                    let fields = (0..<10).map { ("x-\($0)", "value") }
                    return try request.respond(
                        200, headers: ["Cache-Control": "max-age=60"].merging(fields) { $1 },
                        data: Data("1".utf8))
                }, interceptors: [ServiceCache(maximumMemorySize: 20 << 20)])
            _ = try await provider.load(service: TestService())
            let before = try #require(ProcessUsage.residentBytes)
            for number in 0..<60_000 {
                _ = try await provider.load(service: TestService(path: "/\(number)"))
            }
            let growth = try #require(ProcessUsage.residentBytes) - before
            #expect(growth < 40 << 20, "\(growth >> 20) MB")
        }
    }
    #endif

    @Test func memoryRemovesTheLeastRecentlyUsedResponse() async throws {
        let server = try Resource(.init(text: String(repeating: "x", count: 8_500))).server()
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(maximumMemorySize: 100_000)])
        let paths = (0..<10).map { "/\($0)" }
        try await load(paths, provider, server)
        // The first response is used again, so the second one is removed.
        try await load(["/0", "/new"], provider, server)
        #expect(server.tags.compactMap { $0 }.count == 1)
        try await load(["/1"], provider, server)
        #expect(server.tags.last == .some(nil))
        try await load(["/0", "/new", "/9"], provider, server)
        #expect(server.tags.suffix(3) == ["\"1\"", "\"1\"", "\"1\""])
    }

    @Test(arguments: [(8_500, true), (11_000, false)])
    func memoryDoesNotHoldLargeResponses(_ size: Int, _ isHeld: Bool) async throws {
        let server = try Resource(.init(text: String(repeating: "x", count: size))).server()
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(maximumMemorySize: 100_000)])
        #expect(try await provider.texts(of: server.service()).allSatisfy { $0.count == size })
        #expect(server.tags == [nil, isHeld ? "\"1\"" : nil])
    }

    @Test func aResponseTooLargeForMemoryRemovesTheOldOne() async throws {
        let resource = Resource()
        let server = try resource.server()
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(maximumMemorySize: 20_000)])
        _ = try await provider.texts(of: server.service())
        resource.change { $0 = .init(tag: "\"2\"", text: String(repeating: "x", count: 2_000)) }
        _ = try await provider.texts(of: server.service())
        #expect(server.tags == [nil, "\"1\"", "\"1\"", nil])
    }

    /// Another task removes all responses while a stored one is looked up, confirmed or stored again.
    @Test(arguments: [Interrupted.Moment.lookup, .request, .storing])
    private func aResponseFromBeforeARemovalIsNotKept(_ moment: Interrupted.Moment) async throws {
        let (server, store) = (try Resource().server(), Interrupted())
        let cache = ServiceCache(store: store)
        let provider = ServiceProvider<TestService>(interceptors: [
            cache,
            Intercept { request, next in
                let response = try await next(request)
                await store.pass(.request)
                return response
            },
        ])
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        await store.interrupt(moment) { await cache.removeAll() }
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        #expect(await store.disk.files.isEmpty)
        #expect(server.tags == [nil, "\"1\""])
        // Before it is removed, another call could get it.
        #expect(await store.storedCount == (moment == .storing ? 2 : 1))
    }

    /// A call finds a stored response that is being removed.
    @Test func aResponseThatIsBeingRemovedIsNotKept() async throws {
        let (server, store, gate) = (try Resource().server(), Interrupted(), Gate())
        let cache = ServiceCache(store: store)
        let provider = ServiceProvider<TestService>(interceptors: [
            cache,
            Intercept { request, next in
                if request.header("If-None-Match") != nil { await gate.pass() }
                return try await next(request)
            },
        ])
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        let call = Locked<Task<[String], any Error>?>(nil)
        await store.interrupt(.removal) {
            call { $0 = Task { try await provider.texts(of: server.service(), 1) } }
            await gate.arrivals(reach: 1)
        }
        await cache.removeAll()
        gate.open()
        #expect(try await call { $0 }?.value == ["one"])
        #expect(await store.disk.files.isEmpty)
        #expect(server.tags == [nil, "\"1\""])
    }

    @Test func removeAllRemovesAllResponses() async throws {
        let server = try Resource().server()
        let cache = ServiceCache()
        let provider = ServiceProvider<TestService>(interceptors: [cache])
        _ = try await provider.texts(of: server.service())
        await cache.removeAll()
        #expect(try await provider.texts(of: server.service()) == ["one", "one"])
        #expect(server.tags == [nil, "\"1\"", nil, "\"1\""])
    }
}
