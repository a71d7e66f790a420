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

/// Endpoints, the closures of a provider that change them, and stubs.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaEndpointTests {
    typealias Provider = MoyaProvider<Bookshop>

    // MARK: - Paths with dots

    /// A path that a server may resolve to that of another endpoint.
    struct DottedPath: CustomTestStringConvertible {
        let testDescription: String
        let path: String

        init(_ name: String, _ path: String) {
            testDescription = name
            self.path = path
        }

        static let all = [
            DottedPath("at the end", "/.."),
            DottedPath("in the middle", "/a/../b"),
            DottedPath("a single dot", "/./a"),
            DottedPath("escaped", "/a/%2e%2E/b"),
            DottedPath("between escaped slashes", "/a%2f..%2Fb"),
            DottedPath("after a backslash", "/a\\.."),
            DottedPath("escaped, after an escaped backslash", "/a%5c%2e."),
            DottedPath("between semicolons", "/a;..;b"),
            DottedPath("after an escaped semicolon", "/a%3b../b"),
        ]
    }

    /// The tasks of an endpoint with and without a query.
    static let tasks: [Moya.Task] = [
        .requestPlain,
        .requestParameters(parameters: ["a": 1], encoding: URLEncoding.default),
    ]

    @Test(arguments: DottedPath.all)
    func endpointsRefuseDots(dotted: DottedPath) {
        // An endpoint has a URL, which can't contain a backslash.
        let path = dotted.path.replacingOccurrences(of: "\\", with: "%5C")
        for task in Self.tasks {
            let endpoint = Endpoint(
                url: "http://localhost/api" + path,
                sampleResponseClosure: { .networkResponse(200, Data()) },
                method: .get,
                task: task,
                httpHeaderFields: nil)
            let error = #expect(throws: MoyaError.self) { try endpoint.urlRequest() }
            expectRefusedDots(error)
        }
    }

    struct Place: TargetType {
        let path: String
        var baseURL: URL { Server.url }
        var method: Moya.Method { .get }
        var task: Moya.Task { .requestPlain }
        var headers: [String: String]? { nil }
    }

    /// The path of a target is plain text, so it has no escapes.
    @Test(arguments: DottedPath.all.filter { !$0.path.contains("%") })
    func targetsRefuseDots(dotted: DottedPath) async {
        let error = await #expect(throws: MoyaError.self) {
            try await MoyaProvider<Place>().request(Place(path: dotted.path))
        }
        expectRefusedDots(error)
    }

    private func expectRefusedDots(
        _ error: MoyaError?, at location: SourceLocation = #_sourceLocation
    ) {
        guard case .requestMapping(let reason) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: location)
            return
        }
        #expect(reason.contains("'..'"), sourceLocation: location)
    }

    struct Headers: TargetType {
        let headers: [String: String]?
        var baseURL: URL { Server.url }
        var path: String { "" }
        var method: Moya.Method { .get }
        var task: Moya.Task { .requestPlain }
    }

    /// Without the field, the server would get a request of another user.
    @Test(arguments: ["canary\n", "canary\r\nX-A: 1", "canary\0"])
    func aHeaderFieldWithAControlCharacterIsRefused(value: String) async throws {
        let server = try LoopbackServer { _ in .text("a") }
        try await server.serve { () async throws in
            let target = Headers(headers: ["Authorization": value])
            let error = try await #require(throws: MoyaError.self) {
                try await MoyaProvider<Headers>().request(target)
            }
            guard case .underlying(AlamofireError.urlRequestValidationFailed, nil) = error else {
                Issue.record(error)
                return
            }
            #expect(!texts(of: error).contains("canary"))
        }
        #expect(server.requests.isEmpty)
    }

    /// Replaces each request by one with dots in its path.
    struct DotPlugin: PluginType, RequestInterceptor {
        static var request: URLRequest {
            URLRequest(url: Server.url.appendingPathComponent("a;..;"))
        }

        func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { Self.request }

        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            completion(.success(Self.request))
        }
    }

    /// A part of a provider that changes requests after they are built.
    enum Changer: String, CaseIterable {
        case requestClosure, plugin, interceptor

        /// A provider in which this part replaces each request by one with dots.
        func provider() -> Provider {
            switch self {
            case .requestClosure:
                Provider(requestClosure: { _, done in done(.success(DotPlugin.request)) })
            case .plugin:
                Provider(plugins: [DotPlugin()])
            case .interceptor:
                Provider(session: Session(interceptor: DotPlugin()))
            }
        }
    }

    @Test(arguments: Changer.allCases)
    func changedRequestsWithDotsAreRefused(changer: Changer) async {
        let provider = changer.provider()
        let error = await #expect(throws: MoyaError.self) { try await provider.request(.home) }
        guard case .underlying(let cause, nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.asAFError?.underlyingError is ServiceError)
    }

    // MARK: - Closures

    @Test func closuresChangeEndpointsAndBuildRequests() async throws {
        let server = try LoopbackServer { _ in .text("a") }
        try await server.serve { () async throws in
            let provider = Provider(
                endpointClosure: Self.endpointWithBody, requestClosure: Self.buildLater)
            let response = try await provider.request(.star(id: 1))
            #expect(response.statusCode == 200)
            let request = try #require(server.requests.first)
            #expect(request.header("A") == "b")
            #expect(request.header("X-Shop") == "en")
            #expect(request.text == "x")
        }
    }

    /// The endpoint of a target, with one more header field and another body.
    private static func endpointWithBody(of target: Bookshop) -> Endpoint {
        Provider.defaultEndpointMapping(for: target)
            .adding(newHTTPHeaderFields: ["A": "b"])
            .replacing(task: .requestData(Data("x".utf8)))
    }

    /// Builds the request of an endpoint, and passes it on from another queue.
    private static func buildLater(
        _ endpoint: Endpoint, done: @escaping Provider.RequestResultClosure
    ) {
        let request = Result { try endpoint.urlRequest() }
        DispatchQueue.global().async {
            done(request.mapError { .underlying($0, nil) })
        }
    }

    @Test func aRequestClosureCanFail() async {
        let provider = Provider(requestClosure: { _, done in
            done(.failure(.requestMapping("no token")))
        })
        let error = await #expect(throws: MoyaError.self) { try await provider.request(.home) }
        guard case .requestMapping("no token") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aCallCanBeCancelledBeforeItHasARequest() {
        let waiting = Locked<[Provider.RequestResultClosure]>([])
        let results = Locked<[MoyaResult]>([])
        let provider = Provider(requestClosure: { _, done in waiting { $0.append(done) } })
        let call = provider.request(.home) { result in results { $0.append(result) } }
        call.cancel()
        for done in waiting({ $0 }) {
            done(.success(URLRequest(url: Server.url)))
        }
        guard case .failure(.underlying(URLError.cancelled, nil)) = results({ $0.first }) else {
            Issue.record("\(results { $0 })")
            return
        }
    }

    // MARK: - Stubs

    @Test func aStubHasAResponse() async throws {
        let response = try #require(
            HTTPURLResponse(
                url: Server.url, statusCode: 418, httpVersion: nil, headerFields: ["A": "b"]))
        let body = Data("t".utf8)
        let provider = provider(stubbedWith: .response(response, body))
        let stub = try await provider.result(of: .home).result.get()
        #expect(stub.response == response)
        #expect(stub.data == body)
    }

    @Test func aStubHasAnError() async {
        let timeout = NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut)
        let provider = provider(stubbedWith: .networkError(timeout))
        let result = await provider.result(of: .home).result
        guard case .failure(.underlying(let error as NSError, nil)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error == timeout)
    }

    /// A provider that responds with the sample, after a short delay.
    private func provider(stubbedWith sample: EndpointSampleResponse) -> Provider {
        Provider(
            endpointClosure: { target in
                Endpoint(
                    url: "http://h/",
                    sampleResponseClosure: { sample },
                    method: target.method,
                    task: target.task,
                    httpHeaderFields: nil)
            },
            stubClosure: Provider.delayedStub(0.001))
    }
}
