// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import MoyaKit
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaProviderTests {
    static let isMainKey = DispatchSpecificKey<Bool>()

    init() { DispatchQueue.main.setSpecific(key: Self.isMainKey, value: true) }

    /// The result of the call with a handler, and whether the handler ran on the main queue.
    func result<Target>(
        _ provider: MoyaProvider<Target>, _ target: Target, queue: DispatchQueue? = nil
    ) async -> (result: Result<Response, MoyaError>, isMain: Bool) {
        await withCheckedContinuation { continuation in
            provider.request(target, callbackQueue: queue) {
                let isMain = DispatchQueue.getSpecific(key: Self.isMainKey) ?? false
                continuation.resume(returning: ($0, isMain))
            }
        }
    }

    // MARK: - Status codes

    @Test(arguments: wires)
    func byDefaultEveryStatusIsASuccess(wire: TransportUnderTest) async throws {
        for status in [200, 304, 404, 500] {
            let server = try LoopbackServer { _ in .text("body", status: status) }
            try await server.serve { () async throws in
                let provider = MoyaProvider<Account>(transport: wire.make())
                let response = try await provider.request(.settings)
                #expect(response.statusCode == status)
                #expect(response.response?.statusCode == status)
                #expect(response.request?.url?.path == "/api/v2/settings")
            }
        }
    }

    @Test(arguments: wires)
    func validationRefusesOtherStatusCodes(wire: TransportUnderTest) async throws {
        let cases: [(Account, Int, Bool)] = [
            (.me, 204, true), (.me, 304, false), (.me, 500, false), (.session, 304, true),
            (.session, 400, false), (.list(codes: [201, 418]), 418, true),
            (.list(codes: [201, 418]), 200, false),
        ]
        for (target, status, isValid) in cases {
            let server = try LoopbackServer(responses: [.status(status)])
            try await server.serve { () async throws in
                let provider = MoyaProvider<Account>(transport: wire.make())
                let (result, isMain) = await result(provider, target)
                #expect(isMain)
                switch result {
                case .success(let response):
                    #expect(isValid)
                    #expect(response.statusCode == status)
                case .failure(.underlying(let error, let response)):
                    #expect(!isValid)
                    #expect(error is ServiceError)
                    #expect(response?.statusCode == status)
                case .failure(let error): Issue.record(error)
                }
            }
        }
    }

    @Test(arguments: wires)
    func redirectsAreFollowedWhateverTheValidationSays(wire: TransportUnderTest) async throws {
        for target in [Account.settings, .session, .list(codes: [200, 302])] {
            let server = try LoopbackServer(responses: [
                .redirect(to: "/there", status: 302), .text("there"),
            ])
            try await server.serve { () async throws in
                let response = try await MoyaProvider<Account>(transport: wire.make())
                    .request(target)
                #expect(try response.mapString() == "there")
            }
        }
    }

    @Test(arguments: wires)
    func aRedirectThatCannotBeFollowedIsAResponse(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "ftp://h/", status: 301) }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Account>(transport: wire.make())
            #expect(try await provider.request(.settings).statusCode == 301)
            #expect(try await provider.request(.session).statusCode == 301)
            await #expect(throws: MoyaError.self) { try await provider.request(.me) }
        }
    }

    @Test func withoutCodesEveryStatusIsASuccess() async throws {
        for status in [100, 200, 304, 404, 600, 999] {
            let stub = ServiceStubs { _ in .status(status) }
            let provider = MoyaProvider<Account>(interceptors: [stub])
            for target in [Account.settings, .list(codes: [])] {
                let (result, _) = await result(provider, target)
                #expect(try result.get().statusCode == status)
                #expect(try await provider.request(target).statusCode == status)
            }
            await #expect(throws: MoyaError.self) {
                try await provider.request(.list(codes: [201]))
            }
        }
    }

    // MARK: - Plugins

    @Test(arguments: wires)
    func pluginsSeeAndChangeCalls(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.text("a"), .status(503)])
        try await server.serve { () async throws in
            let plugin = HeaderPlugin()
            let provider = MoyaProvider<Bookshop>(
                plugins: [plugin, MaintenancePlugin()], transport: wire.make())
            let first = await result(provider, .home)
            #expect(try first.result.get().mapString() == "a")
            #expect(try await provider.request(.home).mapString() == "soon")
            #expect(plugin.sent == ["7", "7"])
            #expect(plugin.received == [200, 503])
            #expect(server.requests.map { $0.header("X-App-Version") } == ["7", "7"])
        }
    }

    @Test func pluginsCanPrintARequest() {
        struct Printer: PluginType {
            func willSend(_ request: RequestType, target: TargetType) {
                var text = ""
                dump(request, to: &text)
                #expect(!"\(text)\(request)\(String(reflecting: request))".contains("canary"))
                #expect("\(request)" == "GET /api/search")
            }
        }
        let provider = MoyaProvider<Bookshop>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [Printer()])
        provider.request(.search("canary", tags: [])) { _ in }
    }

    @Test func aPluginSeesTheActivityOfTheNetwork() async throws {
        let changes = Locked<[NetworkActivityChangeType]>([])
        let plugin = NetworkActivityPlugin { change, target in
            #expect(target is Bookshop)
            changes { $0.append(change) }
        }
        let provider = MoyaProvider<Bookshop>(
            stubClosure: MoyaProvider.delayedStub(0.01), plugins: [plugin])
        let call = _Concurrency.Task { try await provider.request(.home) }
        _ = try await call.value
        #expect(changes { $0 } == [.began, .ended])
    }

    @Test func aRequestThatCannotBeBuiltIsOnlyProcessed() async throws {
        let plugin = HeaderPlugin()
        let provider = MoyaProvider<Unsendable>(plugins: [plugin])
        var error: MoyaError?
        provider.request(Unsendable()) { result in
            if case .failure(let failure) = result { error = failure }
        }
        guard case .parameterEncoding = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(plugin.sent.isEmpty && plugin.received.isEmpty)
        await #expect(throws: MoyaError.self) { try await provider.request(Unsendable()) }
    }

    struct FailingEncoding: ParameterEncoding {
        func encode(
            _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
        ) throws -> URLRequest { throw URLError(.cannotParseResponse) }
    }

    struct Broken: TargetType {
        var url = "https://example.com"
        var task = MoyaTask.requestPlain
        var headers: [String: String]?
        var baseURL: URL { URL(string: url) ?? Server.url }
        var path: String { "/" }
        var method: Moya.Method { .post }
    }

    @Test func errorsOfRequestsHaveTheirCases() async {
        let cases: [(Broken, String)] = [
            (Broken(url: "ftp://h"), "requestMapping"),
            (Broken(headers: ["a b": ""]), "requestMapping"),
            (Broken(task: .requestJSONEncodable(Double.nan)), "encodableMapping"),
            (Broken(task: .uploadFile(URL(fileURLWithPath: "/no/file"))), "encodableMapping"),
            (
                Broken(
                    task: .requestParameters(
                        parameters: ["a": self], encoding: JSONEncoding.default)
                ), "parameterEncoding"
            ),
            (
                Broken(task: .requestParameters(parameters: [:], encoding: FailingEncoding())),
                "parameterEncoding"
            ),
        ]
        for (target, name) in cases {
            let error = await #expect(throws: MoyaError.self) {
                try await MoyaProvider<Broken>().request(target)
            }
            let found =
                switch error {
                case .requestMapping: "requestMapping"
                case .encodableMapping: "encodableMapping"
                case .parameterEncoding: "parameterEncoding"
                default: "another case"
                }
            #expect(found == name)
            #expect(error?.errorDescription?.isEmpty == false)
            #expect(error?.response == nil)
        }
    }

    @Test(arguments: wires)
    func aServerThatIsGoneIsAnUnderlyingError(wire: TransportUnderTest) async throws {
        // Nothing listens on port 1. A port that was just closed may belong to another test by now.
        try await Server.$baseURL.withValue("http://127.0.0.1:1") { () async throws in
            let provider = MoyaProvider<Bookshop>(transport: wire.make())
            let result = await result(provider, .home).result
            guard case .failure(.underlying(let error, nil)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect((error as? URLError)?.code == .cannotConnectToHost)
        }
    }

    // MARK: - Stubs

    @Test func immediateStubsCallTheHandlerAtOnce() throws {
        let provider = MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub)
        var text: String?
        provider.request(.book(id: 3)) { text = try? $0.get().mapString() }
        #expect(text == #"{"id": 3, "title": "Dune"}"#)
    }

    @Test func immediateStubsAreValidated() throws {
        let plugin = HeaderPlugin()
        let provider = MoyaProvider<Account>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        var status: Int?
        provider.request(.list(codes: [201])) { result in
            if case .failure(let error) = result { status = error.response?.statusCode }
        }
        #expect(status == 200)
        #expect(plugin.received == [200])
    }

    @Test func stubsAreUsedByAllVariants() async throws {
        for stub in [MoyaProvider.immediatelyStub, MoyaProvider.delayedStub(0.01)]
            as [(MultiTarget) -> StubBehavior]
        {
            let provider = MoyaProvider<MultiTarget>(stubClosure: stub)
            let target = MultiTarget(Stations())
            let response = try await provider.request(target)
            #expect(try response.map([String].self, atKeyPath: "data.stations") == ["A", "B"])
            let queue = DispatchQueue(label: "handlers")
            let (result, isMain) = await result(provider, target, queue: queue)
            #expect(try result.get().data == response.data)
            #expect(!isMain)
            // The sample data doesn't go to a file.
            let file = URL(fileURLWithPath: "/no/folder/file")
            let download = try await provider.request(MultiTarget(Media.picture(id: 1, to: file)))
            #expect(download.data.isEmpty)
        }
    }

    @Test func theStubClosureDecidesForEachTarget() async throws {
        let server = try LoopbackServer { _ in .text("server") }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(stubClosure: { target in
                if case .book = target { return .immediate }
                return .never
            })
            #expect(try await provider.request(.book(id: 1)).mapString().contains("Dune"))
            #expect(try await provider.request(.home).mapString() == "server")
        }
    }

    // MARK: - Queues

    @Test(arguments: wires)
    func theMainQueueCanWaitForAnotherQueue(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(noise(300_000)) }
        try await server.serve { () async throws in
            let providers = [
                MoyaProvider<Bookshop>(transport: wire.make()),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.delayedStub(0.01)),
            ]
            for provider in providers {
                let states = Locked<[Bool]>([])
                let isDone = await MainActor.run {
                    let semaphore = DispatchSemaphore(value: 0)
                    provider.request(
                        .home, callbackQueue: DispatchQueue(label: "handlers"),
                        progress: { state in states { $0.append(state.completed) } },
                        completion: { _ in semaphore.signal() })
                    return semaphore.wait(timeout: .now() + 20) == .success
                }
                #expect(isDone)
                // As in Moya, a stub has no progress.
                let isStub = provider !== providers[0]
                #expect(states { $0.last } == (isStub ? nil : true))
                #expect(states { $0.count(where: \.self) } == (isStub ? 0 : 1))
            }
        }
    }

    /// A target may read an app's state, which belongs to the main actor.
    @MainActor @Test(arguments: wires)
    func aTargetIsReadInTheCallersIsolation(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("body") }
        try await server.serve { () async throws in
            for stub in [
                MoyaProvider<Watched>.neverStub, MoyaProvider.immediatelyStub,
                MoyaProvider.delayedStub(0.01),
            ] {
                let target = Watched()
                let provider = MoyaProvider<Watched>(stubClosure: stub, transport: wire.make())
                let result: Result<Response, MoyaError> = await withCheckedContinuation { next in
                    provider.request(target, callbackQueue: DispatchQueue(label: "handlers")) {
                        next.resume(returning: $0)
                    }
                }
                // The status isn't valid, so it's compared with the target's after the response too.
                #expect(throws: MoyaError.self) { try result.get() }
                await #expect(throws: MoyaError.self) { try await provider.request(target) }
                let readers = target.readers { $0 }
                #expect(Set(readers.keys).isSuperset(of: ["baseURL", "task", "validationType"]))
                #expect(readers.filter { $0.value != [true] } == [:])
            }
        }
    }

    @Test(arguments: wires)
    func aCancelledCallIsReportedOnItsQueue(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(transport: wire.make())
            let queue = DispatchQueue(label: "handlers")
            let result: Result<Response, MoyaError> = await withCheckedContinuation { next in
                let call = provider.request(.home, callbackQueue: queue, progress: { _ in }) {
                    dispatchPrecondition(condition: .onQueue(queue))
                    next.resume(returning: $0)
                }
                call.cancel()
            }
            guard case .failure(.underlying(let error, nil)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect((error as? URLError)?.code == .cancelled)
        }
    }

    /// The responses are waiting for the queue when the calls are cancelled.
    @Test(arguments: wires)
    func aCallThatIsCancelledBeforeItsHandlerGetsAnError(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("late") }
        try await server.serve { () async throws in
            let providers = [
                MoyaProvider<Bookshop>(transport: wire.make()),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.delayedStub(0.001)),
            ]
            for provider in providers {
                let queue = DispatchQueue(label: "handlers")
                queue.suspend()
                let errors = Locked<[(any Error)?]>([])
                let calls = (0..<20).map { _ in
                    provider.request(.home, callbackQueue: queue) { result in
                        guard case .failure(.underlying(let error, nil)) = result else {
                            return errors { $0.append(nil) }
                        }
                        errors { $0.append(error) }
                    }
                }
                if provider === providers[0] {
                    while server.requests.count < 20 { await _Concurrency.Task.yield() }
                }
                for call in calls { call.cancel() }
                queue.resume()
                while errors({ $0.count }) < 20 {
                    try await _Concurrency.Task.sleep(for: .milliseconds(1))
                }
                #expect(errors { $0.allSatisfy { ($0 as? URLError)?.code == .cancelled } })
            }
        }
    }

    // MARK: - Cancel, progress, deduplication

    @Test(arguments: wires)
    func cancelledCallsGetAnError(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(transport: wire.make())
            let result: Result<Response, MoyaError> = await withCheckedContinuation { next in
                let call = provider.request(.home) { next.resume(returning: $0) }
                #expect(!call.isCancelled)
                call.cancel()
                call.cancel()
                #expect(call.isCancelled)
            }
            guard case .failure(.underlying(let error, nil)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect((error as? URLError)?.code == .cancelled)
            let url = server.baseURL
            let task = _Concurrency.Task {
                try await Server.$baseURL.withValue(url) {
                    try await MoyaProvider<Bookshop>(transport: wire.make()).request(.home)
                }
            }
            _ = try await server.arrival()
            task.cancel()
            await #expect(throws: MoyaError.self) { try await task.value }
        }
    }

    @Test(arguments: wires)
    func progressEndsWithTheResponse(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(noise(300_000)) }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(transport: wire.make())
            let states: [ProgressResponse] = await withCheckedContinuation { continuation in
                var states: [ProgressResponse] = []
                provider.request(
                    .home, progress: { states.append($0) },
                    completion: { _ in continuation.resume(returning: states) })
            }
            #expect(states.last?.completed == true)
            #expect(states.last?.progress == 1)
            #expect(states.last?.response?.data.count == 300_000)
            let object = states.dropLast().last?.progressObject
            #expect(object?.completedUnitCount == 300_000)
            #expect(object?.totalUnitCount == 300_000)
            #expect(states.dropLast().allSatisfy { !$0.completed })
        }
    }

    @Test(arguments: wires)
    func equalCallsAtTheSameTimeShareARequest(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("one").delayed(by: 0.5) }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(trackInflights: true, transport: wire.make())
            async let first = provider.request(.home)
            async let second = provider.request(.home)
            #expect(try await first.data == second.data)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: - Downloads

    @Test(arguments: wires)
    func downloadsGoToTheirDestination(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { .text($0.target) }
        let folder = try TemporaryFolder()
        try await server.serve { () async throws in
            let provider = MoyaProvider<Media>(transport: wire.make())
            let nested = folder.file("new/folder/a.png")
            for _ in 0..<2 {
                let response = try await provider.request(.picture(id: 4, to: nested))
                #expect(response.statusCode == 200)
                #expect(response.data.isEmpty)
            }
            #expect(try String(contentsOf: nested, encoding: .utf8) == "/api/pictures/4")
            let report = Media.report(year: 2026, isDraft: false, to: folder.file("r"))
            #expect(try await provider.request(report).statusCode == 200)
            #expect(folder.text(of: "r") == "/api/report?draft=0&year=2026")
            // Without options, a file isn't replaced.
            await #expect(throws: MoyaError.self) { try await provider.request(report) }
            _ = try await provider.request(.lost(to: folder.file("lost")))
            #expect(folder.text(of: "lost.200") == "/api/lost")
        }
    }

    @Test(arguments: [302, 600])
    func aDownloadWithoutAFileIsAFailure(status: Int) async throws {
        let folder = try TemporaryFolder()
        let provider = MoyaProvider<Media>(interceptors: [ServiceStubs { _ in .status(status) }])
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(.picture(id: 1, to: folder.file("a")))
        }
        #expect(error?.response?.statusCode == status)
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: wires)
    func aFailedDownloadWritesNoFile(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("gone", status: 404) }
        let folder = try TemporaryFolder()
        try await server.serve { () async throws in
            let provider = MoyaProvider<Media>(transport: wire.make())
            let error = await #expect(throws: MoyaError.self) {
                try await provider.request(.lost(to: folder.file("lost")))
            }
            #expect(error?.response?.data == Data("gone".utf8))
            #expect(folder.names.isEmpty)
        }
    }

    // MARK: - Wrappers

    @Test(arguments: ["titles", "books"])
    func wrappersAndModelsWork(key: String) async throws {
        let server = try LoopbackServer { _ in .json(#"{"data": ["a", "b"]}"#) }
        try await server.serve { () async throws in
            let network = Network<Account>(plugins: [HeaderPlugin()])
            let values: [String] = try await withCheckedThrowingContinuation { continuation in
                network.load(.settings, as: [String].self) { continuation.resume(with: $0) }
            }
            #expect(values == ["a", "b"])
            let object = try await network.load(.settings, as: [String: [String]].self)
            #expect(object == ["data": ["a", "b"]])
            let request = try #require(server.requests.first)
            #expect(request.header("Authorization") == "Bearer t0k3n")
            #expect(request.header("X-App-Version") == "7")
        }
    }

    @Test(arguments: wires)
    func interceptorsOfServiceProviderRun(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.status(503), .text("again")])
        try await server.serve { () async throws in
            var retry = ServiceRetry()
            retry.clock.sleep = { _ in }
            // `.none` accepts 503, and it is retried all the same.
            let provider = MoyaProvider<Bookshop>(transport: wire.make(), interceptors: [retry])
            #expect(try await provider.request(.home).mapString() == "again")
        }
    }
}

/// A target that remembers who read it.
private struct Watched: TargetType {
    /// For each member that was read: whether it was read on the main queue.
    let readers = Locked<[String: Set<Bool>]>([:])

    private func read<Value>(_ value: Value, _ name: String = #function) -> Value {
        let isMain = DispatchQueue.getSpecific(key: MoyaProviderTests.isMainKey) ?? false
        readers { _ = $0[name, default: []].insert(isMain) }
        return value
    }

    var baseURL: URL { read(Server.url) }
    var path: String { read("/watched") }
    var method: Moya.Method { read(.get) }
    var sampleData: Data { read(Data()) }
    var task: Moya.Task { read(.requestPlain) }
    var validationType: ValidationType { read(.customCodes([418])) }
    var headers: [String: String]? { read(nil) }
}
