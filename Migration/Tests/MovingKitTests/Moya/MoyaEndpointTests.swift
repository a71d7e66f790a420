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

/// Endpoints, closures of the provider, sessions and the log.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaEndpointTests {
    typealias Provider = MoyaProvider<Bookshop>

    struct Place: TargetType {
        var baseURL = Server.url
        var path = ""
        var method: Moya.Method { .get }
        var task: Moya.Task { .requestPlain }
        var headers: [String: String]? { nil }
    }

    @Test(
        arguments: [
            "/..", "/a/../b", "/a/%2e%2E/b", "/a%2f..%2Fb", "/a\\..", "/a%5c%2e.", "/./a",
            "/a;..;b",
            "/a%3b../b",
        ])
    func noPathSmugglesDots(path: String) async {
        var errors: [MoyaError?] = []
        let text = "http://localhost/api" + path
        let endpoint = Endpoint(
            url: text.replacingOccurrences(of: "\\", with: "%5C"),
            sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
            task: .requestPlain, httpHeaderFields: nil)
        errors.append(#expect(throws: MoyaError.self) { try endpoint.urlRequest() })
        let inner = #expect(throws: (any Error).self) {
            try URLEncoding.default.encode(endpoint.urlRequest(), with: ["a": 1])
        }
        errors.append(inner as? MoyaError)
        if !path.contains("%") {
            let provider = MoyaProvider<Place>()
            errors.append(
                await #expect(throws: MoyaError.self) {
                    try await provider.request(Place(path: path))
                })
        }
        for error in errors {
            guard case .requestMapping(let text) = error else { Issue.record("\(path)"); return }
            #expect(text.contains("'..'"))
        }
    }

    @Test func noClosurePluginOrAdapterSmugglesDots() async throws {
        struct Dots: PluginType, RequestInterceptor {
            func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
                URLRequest(url: request.url?.appendingPathComponent("a;..;") ?? Server.url)
            }
            func adapt(
                _ urlRequest: URLRequest, for session: Session,
                completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) { completion(.success(prepare(urlRequest, target: Place()))) }
        }
        let providers = [
            Provider(requestClosure: { _, done in
                done(.success(Dots().prepare(URLRequest(url: Server.url), target: Place())))
            }),
            Provider(plugins: [Dots()]), Provider(session: Session(interceptor: Dots())),
        ]
        for provider in providers {
            let result = await provider.result(of: .home).result
            let error = #expect(throws: MoyaError.self) { try result.get() }
            guard case .underlying(let cause, nil) = error else {
                Issue.record("\(result)"); return
            }
            #expect(cause.asAFError?.underlyingError is ServiceError)
        }
    }

    @Test func closuresChangeEndpointsAndRequests() async throws {
        let server = try LoopbackServer { _ in .text("a") }
        try await server.serve { () async throws in
            let provider = Provider(
                endpointClosure: { target in
                    Provider.defaultEndpointMapping(for: target).adding(newHTTPHeaderFields: [
                        "A": "b"
                    ])
                    .replacing(task: .requestData(Data("x".utf8)))
                },
                requestClosure: { endpoint, done in
                    let result = Result { try endpoint.urlRequest() }
                    DispatchQueue.global().async {
                        done(result.mapError { .underlying($0, nil) })
                    }
                })
            #expect(try await provider.request(.star(id: 1)).statusCode == 200)
            let request = try #require(server.requests.first)
            #expect(request.header("A") == "b" && request.header("X-Shop") == "en")
            #expect(request.text == "x")
        }
    }

    @Test func aClosureMayFailAndACallMayBeCancelledBeforeItsRequest() async throws {
        let failing = Provider(requestClosure: { $1(.failure(.requestMapping("no token"))) })
        let error = await #expect(throws: MoyaError.self) { try await failing.request(.home) }
        guard case .requestMapping("no token") = error else { Issue.record("another case"); return }
        let waiting = Locked<[MoyaProvider<Bookshop>.RequestResultClosure]>([])
        let provider = Provider(requestClosure: { _, done in waiting { $0.append(done) } })
        let results = Locked<[MoyaResult]>([])
        let call = provider.request(.home) { result in results { $0.append(result) } }
        call.cancel()
        for done in waiting({ $0 }) { done(.success(URLRequest(url: Server.url))) }
        guard case .failure(.underlying(AFError.explicitlyCancelled, nil)) = results({ $0.first })
        else { Issue.record("not cancelled"); return }
    }

    @Test func stubsHaveAResponseOrAnError() async throws {
        let http = try #require(
            HTTPURLResponse(
                url: Server.url, statusCode: 418, httpVersion: nil, headerFields: ["A": "b"]))
        let timeout = NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut)
        for sample in [
            EndpointSampleResponse.response(http, Data("t".utf8)), .networkError(timeout),
        ] {
            let provider = Provider(
                endpointClosure: { target in
                    Endpoint(
                        url: "http://h/", sampleResponseClosure: { sample }, method: target.method,
                        task: target.task, httpHeaderFields: nil)
                }, stubClosure: Provider.delayedStub(0.001))
            switch await provider.result(of: .home).result {
            case .success(let response):
                #expect(response.response == http && response.data == Data("t".utf8))
            case .failure(.underlying(let error as NSError, nil)): #expect(error == timeout)
            case .failure(let error): Issue.record(error)
            }
        }
    }

    struct Refresh: RequestInterceptor {
        let decision: RetryResult

        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            var request = urlRequest
            request.addValue("a", forHTTPHeaderField: "X-Added")
            completion(.success(request))
            completion(.failure(URLError(.badURL)))
        }

        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            completion(
                request.retryCount < 2 && error.asAFError?.responseCode == 500
                    ? decision : .doNotRetry)
        }
    }

    @Test(arguments: [
        RetryResult.retry, .retryWithDelay(0.001), .doNotRetryWithError(URLError(.badURL)),
    ])
    func anInterceptorDecidesAboutRetries(decision: RetryResult) async throws {
        let server = try LoopbackServer { _ in .text("body", statusCode: 500) }
        try await server.serve { () async throws in
            let session = Session(interceptor: Refresh(decision: decision))
            let error = await #expect(throws: MoyaError.self) {
                try await MoyaProvider<Account>(session: session).request(.me)
            }
            #expect(error?.response?.data == Data("body".utf8))
            #expect(server.requests.allSatisfy { $0.header("X-Added") == "a" })
            switch error {
            case .underlying(AFError.requestRetryFailed(let cause, let original), _):
                #expect(server.requests.count == 1 && cause is URLError)
                #expect(original.asAFError?.isResponseValidationError == true)
            case .underlying(AFError.responseValidationFailed, _):
                #expect(server.requests.count == 3)
            default: Issue.record("another error")
            }
        }
    }

    @Test func aCallThatWaitsForItsInterceptorCanBeCancelled() async throws {
        struct Silent: RequestInterceptor {
            func adapt(
                _ urlRequest: URLRequest, for session: Session,
                completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) {}
        }
        let provider = Provider(session: Session(interceptor: Silent()))
        let result: MoyaResult = await withCheckedContinuation { next in
            provider.request(.home) { next.resume(returning: $0) }.cancel()
        }
        #expect(throws: MoyaError.self) { try result.get() }
    }

    @Test func errorsHaveMoyasCodes() {
        let response = Response(statusCode: 1, data: Data())
        let cause = URLError(.timedOut)
        let errors: [MoyaError] = [
            .imageMapping(response), .jsonMapping(response), .stringMapping(response),
            .objectMapping(cause, response), .encodableMapping(cause), .statusCode(response),
            .underlying(cause, nil), .requestMapping(""), .parameterEncoding(cause),
        ]
        #expect(errors.map(\.errorCode) == Array(0...8))
        let causes = errors.map { ($0 as NSError).userInfo[NSUnderlyingErrorKey] as? URLError }
        #expect(
            causes.map { $0 == nil } == [true, true, true, false, false, true, false, true, false])
    }

    @Test func theLogHasFormattersAndShowsNoSecret() async throws {
        let server = try LoopbackServer(responses: [
            .json(#"{"token":"canary"}"#), .json(#"{"token":"canary","id":7}"#, statusCode: 500),
        ])
        let lines = Locked<[String]>([])
        let log = NetworkLoggerPlugin(
            configuration: .init(
                formatter: .init(requestData: { "\($0.count) sent" }),
                output: { _, items in lines { $0 += items } }, logOptions: .verbose))
        try await server.serve { () async throws in
            let token = AccessTokenPlugin { _ in "canary" }
            let provider = MoyaProvider<Account>(plugins: [token, log])
            _ = try await provider.request(.move(from: "a", to: "b"))
            _ = try? await provider.request(.me)
        }
        let text = lines { $0.joined(separator: "\n") }
        #expect(!text.contains("canary"), "\(text)")
        for part in [
            "POST \(server.baseURL)/api/v2/move", "10 sent", "Authorization: ***", "200 ", "500 ",
            #""id":7"#,
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }
}
