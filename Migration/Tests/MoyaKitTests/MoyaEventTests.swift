// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import LoopbackServer
import Moya
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The order in which a call uses its parts.
///
/// The sources are Moya at 10a9dd15 and Alamofire at 7595cbcf. For a request that is sent, `Session.performSetupOperations`
/// in Alamofire's Source/Core/Session.swift runs the session's adapter and then that of the request, each time the request
/// is sent. The latter is `MoyaRequestInterceptor` in Moya's Sources/Moya/Moya+Alamofire.swift: all `prepare`, then all
/// `willSend`.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaEventTests {
    /// The events of a call.
    final class Events: Sendable {
        private let names = Locked<[String]>([])
        var list: [String] { names { $0 } }
        func add(_ name: String) { names { $0.append(name) } }
    }

    /// A token that a retry refreshes.
    final class Token: Sendable {
        let value = Locked("old")
    }

    struct Plugin: PluginType {
        let name: String
        let events: Events
        var token = Token()

        func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
            events.add("prepare \(name)")
            var request = request
            request.setValue(token.value { $0 }, forHTTPHeaderField: "X-Token-\(name)")
            return request
        }

        func willSend(_ request: any RequestType, target: any TargetType) {
            let token = request.request?.value(forHTTPHeaderField: "X-Token-b") ?? "none"
            events.add("willSend \(name), \(token)")
        }

        func didReceive(_ result: MoyaResult, target: any TargetType) {
            events.add("didReceive \(name)")
        }

        func process(_ result: MoyaResult, target: any TargetType) -> MoyaResult {
            events.add("process \(name)")
            return result
        }
    }

    /// Refreshes the token once for each attempt that was sent with the old one.
    struct Interceptor: RequestInterceptor {
        let events: Events
        let token: Token

        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            events.add("adapt")
            completion(.success(urlRequest))
        }

        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            let sent = request.request?.value(forHTTPHeaderField: "X-Token-b") ?? "none"
            events.add("retry after \(sent)")
            guard error.asAFError?.responseCode == 401, request.retryCount < 3 else {
                return completion(.doNotRetry)
            }
            token.value { $0 = "new" }
            completion(.retry)
        }
    }

    /// A target of a test.
    struct Target: TargetType {
        var url = Server.url
        var path = "/"
        var method = Moya.Method.get
        var task = Moya.Task.requestPlain
        var validationType = ValidationType.successCodes
        var headers: [String: String]?
        var baseURL: URL { url }
    }

    let events = Events()
    let token = Token()

    private var plugins: [any PluginType] {
        [
            Plugin(name: "a", events: events, token: token),
            Plugin(name: "b", events: events, token: token),
        ]
    }

    private func provider(
        _ stub: StubBehavior = .never, on wire: TransportUnderTest = .ownSession,
        requestClosure: @escaping MoyaProvider<Target>.RequestClosure = {
            MoyaProvider<Target>.defaultRequestMapping(for: $0, closure: $1)
        }
    ) -> MoyaProvider<Target> {
        let interceptor = Interceptor(events: events, token: token)
        return MoyaProvider(
            requestClosure: requestClosure, stubClosure: { _ in stub },
            session: Session(transport: wire.make(), interceptor: interceptor), plugins: plugins)
    }

    @discardableResult
    private func call(
        _ target: Target, _ provider: MoyaProvider<Target>, reportsProgress: Bool = false
    ) async -> MoyaResult {
        let progress: ProgressBlock = { [events] report in
            guard report.completed else { return }
            events.add("progress, completed")
        }
        return await withCheckedContinuation { [events] continuation in
            provider.request(target, progress: reportsProgress ? progress : nil) { result in
                events.add("completion")
                continuation.resume(returning: result)
            }
        }
    }

    static let sending = ["adapt", "prepare a", "prepare b", "willSend a, old", "willSend b, old"]
    static let received = ["didReceive a", "didReceive b"]
    static let end = ["process a", "process b", "completion"]

    // MARK: - Sent requests

    /// `MoyaProvider.sendAlamofireRequest` in Sources/Moya/MoyaProvider+Internal.swift.
    @Test(arguments: wires) func success(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("body") }
        try await server.serve { () async throws in
            let result = await call(Target(), provider(on: wire), reportsProgress: true)
            #expect(try result.get().mapString() == "body")
        }
        #expect(
            events.list == Self.sending + Self.received + ["progress, completed"] + Self.end)
    }

    /// `Request.retryOrFinish` in Source/Core/Request.swift asks the retrier about each error.
    @Test(arguments: wires) func failure(wire: TransportUnderTest) async throws {
        // Nothing listens on port 1.
        await Server.$baseURL.withValue("http://127.0.0.1:1") { () async in
            let result = await call(Target(), provider(on: wire), reportsProgress: true)
            #expect(throws: MoyaError.self) { try result.get() }
        }
        #expect(events.list == Self.sending + ["retry after old"] + Self.received + Self.end)
    }

    /// `Session.retryRequest` performs the request again from the start. A token that `prepare` sets is the new one then.
    @Test(arguments: wires) func retryWithARefresh(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer {
            $0.header("X-Token-b") == "new" ? .text("body") : .statusCode(401)
        }
        try await server.serve { () async throws in
            let response = try await call(Target(), provider(on: wire)).get()
            #expect(response.request?.value(forHTTPHeaderField: "X-Token-b") == "new")
        }
        #expect(server.requests.map { $0.header("X-Token-a") } == ["old", "new"])
        let again = Self.sending.map { $0.replacingOccurrences(of: "old", with: "new") }
        #expect(
            events.list == Self.sending + ["retry after old"] + again + Self.received + Self.end)
    }

    /// Alamofire's `DataResponse` has the request that was sent, not the one that followed a redirect.
    @Test(arguments: wires)
    func theRequestOfAResponseIsTheOneThatWasSent(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.redirect(to: "/there"), .text("there")])
        try await server.serve { () async throws in
            let target = Target(path: "/here")
            let response = try await call(target, provider(on: wire)).get()
            #expect(response.request?.url?.path == "/api/here")
            #expect(response.response?.url?.path == "/there")
        }
        // A redirect isn't another attempt.
        #expect(events.list == Self.sending + Self.received + Self.end)
    }

    /// The same for a status that isn't valid, and for an interceptor that replaces the error.
    @Test(arguments: wires, [false, true])
    func theRequestOfAnErrorIsTheOneThatWasSent(
        wire: TransportUnderTest, isReplaced: Bool
    ) async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .statusCode(404) : .redirect(to: "/there")
        }
        try await server.serve { () async throws in
            let session = Session(
                transport: wire.make(), interceptor: isReplaced ? Replacing() : nil)
            let provider = MoyaProvider<Target>(session: session)
            let error = try await #require(throws: MoyaError.self) {
                try await call(Target(path: "/here"), provider).get()
            }
            #expect(error.response?.request?.url?.path == "/api/here")
            #expect(error.response?.response?.url?.path == "/there")
        }
    }

    struct Replacing: RequestInterceptor {
        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            completion(.doNotRetryWithError(URLError(.badURL)))
        }
    }

    // MARK: - Requests that aren't sent

    /// `MoyaProvider.requestNormal`: only `process` sees the error.
    @Test func aRequestThatCannotBeBuilt() async {
        let task = Moya.Task.requestJSONEncodable(Double.nan)
        await call(Target(method: .post, task: task), provider())
        #expect(events.list == Self.end)
    }

    /// Alamofire's `Request.didFailToCreateURLRequest` ends a request before its adapter has run. (It also asks the retrier,
    /// which the kit doesn't.)
    @Test func anUploadWithoutItsFile() async {
        let task = Moya.Task.uploadFile(URL(fileURLWithPath: "/no/file"))
        await call(Target(method: .post, task: task), provider())
        #expect(events.list == Self.received + Self.end)
    }

    // MARK: - Stubs

    /// `MoyaProvider.stubRequest` and `createStubFunction`. A stub has no progress, and no interceptor.
    @Test(arguments: [StubBehavior.immediate, .delayed(seconds: 0.001)])
    func stubs(behavior: StubBehavior) async {
        let sending = Self.sending.filter { $0 != "adapt" }
        await call(Target(), provider(behavior), reportsProgress: true)
        #expect(events.list == sending + Self.received + Self.end)
    }

    @Test func aStubPreparesItsRequestAtOnce() {
        let provider = provider(.delayed(seconds: 0.001))
        provider.request(Target()) { _ in }.cancel()
        #expect(events.list == Self.sending.filter { $0 != "adapt" })
    }

    /// A unit test often has no server: `Endpoint.urlRequest` in Sources/Moya/Endpoint.swift accepts any URL.
    @Test(arguments: ["/", "/v1", "mock://host", "https://my_host.example.com", "file:///a"])
    func aStubNeedsNoServer(baseURL: String) async throws {
        let url = try #require(URL(string: baseURL))
        let response = try await call(Target(url: url, path: "/a b"), provider(.immediate)).get()
        #expect(response.statusCode == 200)
        #expect(response.request?.url?.path.hasSuffix("/a b") == true)
        let endpoint = Endpoint(
            url: "/api/x", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
            task: .requestParameters(parameters: ["a": 1], encoding: URLEncoding.default),
            httpHeaderFields: nil)
        #expect(try endpoint.urlRequest().url?.absoluteString == "/api/x?a=1")
    }

    // MARK: - Cancelled calls

    /// `MoyaProvider.cancelCompletion`: the request isn't there yet.
    @Test func aCallThatIsCancelledBeforeItHasARequest() async {
        let waiting = Locked<[MoyaProvider<Target>.RequestResultClosure]>([])
        let provider = provider(requestClosure: { _, done in waiting { $0.append(done) } })
        let result = await withCheckedContinuation { [events] continuation in
            let running = provider.request(Target()) { result in
                events.add("completion")
                continuation.resume(returning: result)
            }
            running.cancel()
            for done in waiting({ $0 }) {
                done(.success(URLRequest(url: Server.url)))
            }
        }
        guard case .failure(.underlying(URLError.cancelled, nil)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(events.list == Self.received + Self.end)
    }

    /// `Request.retryOrFinish`: the retrier isn't asked.
    @Test(arguments: wires) func aCallThatIsCancelledLater(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        try await server.serve { () async throws in
            let provider = provider(on: wire)
            let result = Locked<MoyaResult?>(nil)
            let running = provider.request(Target()) { [events] end in
                events.add("completion")
                result { $0 = end }
            }
            _ = try await server.arrival()
            running.cancel()
            while result({ $0 == nil }) { await _Concurrency.Task.yield() }
            guard case .failure(.underlying(AFError.explicitlyCancelled, nil)) = result({ $0 })
            else {
                Issue.record("\(result { $0.debugDescription })")
                return
            }
        }
        #expect(events.list == Self.sending + Self.received + Self.end)
    }

    // MARK: - Progress

    /// `MoyaProvider.sendAlamofireRequest` reports the sent bytes only for files and forms.
    @Test(arguments: wires)
    func onlyFilesAndFormsReportWhatIsSent(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("12345") }
        let form = MultipartFormData(provider: .data(Data("abc".utf8)), name: "a")
        try await server.serve { () async throws in
            for (task, isUpload) in [
                (Moya.Task.requestData(Data(count: 10)), false), (.uploadMultipart([form]), true),
            ] {
                let reports = Locked<[(count: Int64?, completed: Bool)]>([])
                let provider = provider(on: wire)
                await withCheckedContinuation { continuation in
                    provider.request(
                        Target(method: .post, task: task),
                        progress: { report in
                            let count = report.progressObject?.completedUnitCount
                            reports { $0.append((count, report.completed)) }
                        },
                        completion: { _ in continuation.resume() })
                }
                let last = try #require(reports { $0.last })
                #expect(last.completed)
                let size = isUpload ? server.requests.last.map { Int64($0.body.count) } : 5
                #expect(last.count == size)
            }
        }
    }

    /// The last report of a failure has no response.
    @Test func aFailureIsReportedToo() async {
        let reports = Locked<[ProgressResponse]>([])
        // Nothing listens on port 1.
        await Server.$baseURL.withValue("http://127.0.0.1:1") { () async in
            let provider = provider()
            await withCheckedContinuation { continuation in
                provider.request(
                    Target(), progress: { report in reports { $0.append(report) } },
                    completion: { _ in continuation.resume() })
            }
        }
        #expect(reports { $0.map(\.completed) } == [false])
        #expect(reports { $0.last?.progressObject } != nil)
    }

    // MARK: - Queues

    /// Plugins may use an app's state, which belongs to the main actor.
    @Test func pluginsRunWhereTheHandlerIs() async throws {
        struct Queues: PluginType {
            let isMain = Locked<[Bool]>([])
            func note() {
                let found = DispatchQueue.getSpecific(key: isMainKey) ?? false
                isMain { $0.append(found) }
            }
            func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
                note()
                return request
            }
            func willSend(_ request: any RequestType, target: any TargetType) { note() }
            func didReceive(_ result: MoyaResult, target: any TargetType) { note() }
            func process(_ result: MoyaResult, target: any TargetType) -> MoyaResult {
                note()
                return result
            }
        }
        let server = try LoopbackServer { _ in .text("body") }
        try await server.serve { () async throws in
            let plugin = Queues()
            let provider = MoyaProvider<Target>(plugins: [plugin])
            _ = try await provider.result(of: Target()).result.get()
            #expect(plugin.isMain { $0 } == [true, true, true, true])
            _ = try await provider.request(Target())
            #expect(plugin.isMain { $0.dropFirst(4) } == [false, false, false, false])
        }
    }
}
