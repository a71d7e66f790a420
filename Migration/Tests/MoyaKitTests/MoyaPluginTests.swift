// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import LoopbackServer
import Moya
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Plugins, and the errors of requests that can't be built.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaPluginTests {
    // MARK: - Plugins

    @Test(arguments: wires)
    func pluginsSeeAndChangeCalls(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.text("a"), .statusCode(503)])
        try await server.serve { () async throws in
            let plugin = HeaderPlugin()
            let provider = MoyaProvider<Bookshop>(
                plugins: [plugin, MaintenancePlugin()], transport: wire.make())
            let first = await provider.result(of: .home)
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

    /// Such as the text of a file.
    @Test func aTokenMayHaveALineBreakAtItsEnd() async throws {
        let server = try LoopbackServer { _ in .text("a") }
        try await server.serve { () async throws in
            let plugin = AccessTokenPlugin { _ in "t0k3n\r\n" }
            _ = try await MoyaProvider<Account>(plugins: [plugin]).request(.legacy)
        }
        #expect(server.requests.map { $0.header("Authorization") } == ["Token t0k3n"])
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

    @Test func theLogHasFormattersAndShowsNoSecret() async throws {
        let server = try LoopbackServer(responses: [
            .json(#"{"token":"canary"}"#),
            .json(#"{"token":"canary","id":7}"#, statusCode: 500),
        ])
        let lines = Locked<[String]>([])
        let configuration = NetworkLoggerPlugin.Configuration(
            formatter: .init(requestData: { data in "\(data.count) sent" }),
            output: { _, items in lines { $0 += items } },
            logOptions: .verbose)
        try await server.serve { () async throws in
            let token = AccessTokenPlugin { _ in "canary" }
            let log = NetworkLoggerPlugin(configuration: configuration)
            let provider = MoyaProvider<Account>(plugins: [token, log])
            _ = try await provider.request(.move(from: "a", to: "b"))
            _ = try? await provider.request(.me)
        }
        let text = lines { $0.joined(separator: "\n") }
        #expect(!text.contains("canary"))
        #expect(text.contains("POST \(server.baseURL)/api/v2/move"))
        #expect(text.contains("10 sent"))
        #expect(text.contains("Authorization: ***"))
        #expect(text.contains("200 "))
        #expect(text.contains("500 "))
        #expect(text.contains(#""id":7"#))
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
            (Broken(url: "ftp://h"), "invalid"),
            (Broken(url: "/relative"), "invalid"),
            (Broken(headers: ["a b": ""]), "invalid"),
            (Broken(task: .requestJSONEncodable(Double.nan)), "encodableMapping"),
            (Broken(task: .uploadFile(URL(fileURLWithPath: "/no/file"))), "upload"),
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
                case .underlying(AFError.createUploadableFailed, nil): "upload"
                case .underlying(AFError.urlRequestValidationFailed, nil): "invalid"
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
            let result = await provider.result(of: .home).result
            guard case .failure(.underlying(let error, nil)) = result else {
                Issue.record("\(result)")
                return
            }
            let cause = error.asAFError?.underlyingError as? URLError
            #expect(cause?.code == .cannotConnectToHost)
        }
    }
}
