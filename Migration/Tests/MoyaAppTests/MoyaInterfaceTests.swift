// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated private struct Any1: TargetType {
    var baseURL: URL { Backend.url }
    var path: String { "" }
    var method: Moya.Method { .get }
    var task: Task { .requestPlain }
    var headers: [String: String]? { nil }
}

/// These 43 of 50 uses of Moya's interface that fit on a line compile. `mapImage` does on Apple's platforms. The header
/// of MoyaKit.swift names the other six.
@Suite struct MoyaInterfaceTests {
    static let missing = [
        "CredentialsPlugin", "`stream`", "inflightRequests", "Hashable",
        "sessionHeaders",
        "convertResponseToResult",
    ]

    @Test func theHeaderNamesWhatIsMissing() throws {
        // The test also runs through links, so look for the package's folder.
        var folder = URL(fileURLWithPath: #filePath)
        while folder.lastPathComponent != "Migration", folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        let file = folder.appendingPathComponent("Sources/Moya/MoyaKit.swift")
        let kit = try String(contentsOf: file, encoding: .utf8)
        let header = kit.components(separatedBy: "\nimport ")[0]
        #expect(Self.missing.filter { !header.contains($0) } == [])
    }

    nonisolated private final class Sub: MoyaProvider<Any1>, @unchecked Sendable {}

    private func load<P: MoyaProviderType>(_ p: P, _ t: P.Target) -> Cancellable {
        p.request(t, callbackQueue: nil, progress: nil) { _ in }
    }

    /// Not called.
    private func uses(response: Response, url: URL, http: HTTPURLResponse) throws {
        let destination: DownloadDestination = { url, _ in
            (url, [.removePreviousFile, .createIntermediateDirectories])
        }
        let tasks: [Moya.Task] = [
            .requestPlain,
            .requestData(Data()),
            .requestJSONEncodable(["a": 1]),
            .requestCustomJSONEncodable(["a": 1], encoder: JSONEncoder()),
            .requestParameters(parameters: ["a": 1], encoding: URLEncoding.queryString),
            .requestCompositeData(bodyData: Data(), urlParameters: ["a": 1]),
            .requestCompositeParameters(
                bodyParameters: ["a": 1], bodyEncoding: JSONEncoding.default, urlParameters: [:]),
            .uploadFile(url),
            .uploadMultipart([
                MultipartFormData(
                    provider: .data(Data()), name: "a", fileName: "b", mimeType: "c/d")
            ]),
            .uploadCompositeMultipart(
                [MultipartFormData(provider: .file(url), name: "a")], urlParameters: ["a": 1]),
            .downloadDestination(destination),
            .downloadParameters(
                parameters: ["a": 1], encoding: URLEncoding.default, destination: destination),
        ]
        let provider = MoyaProvider<Any1>()
        let providers: [MoyaProvider<Any1>] = [
            MoyaProvider(endpointClosure: {
                MoyaProvider.defaultEndpointMapping(for: $0).adding(newHTTPHeaderFields: ["a": "b"])
            }),
            MoyaProvider(requestClosure: { endpoint, done in
                done(Result { try endpoint.urlRequest() }.mapError { .underlying($0, nil) })
            }),
            MoyaProvider(stubClosure: MoyaProvider.immediatelyStub),
            MoyaProvider(stubClosure: MoyaProvider.delayedStub(1)),
            MoyaProvider(
                callbackQueue: .main, plugins: [NetworkLoggerPlugin.verbose], trackInflights: true),
            MoyaProvider(
                session: Session(configuration: .ephemeral, startRequestsImmediately: false)),
            MoyaProvider(session: MoyaProvider<Any1>.defaultAlamofireSession()),
            Sub(),
        ]
        MoyaProvider<MultiTarget>().request(MultiTarget(Any1())) { _ in }
        provider.request(
            Any1(), callbackQueue: .main, progress: { print($0.progress, $0.completed) }
        ) { _ in }
        provider.request(Any1()) { _ in }.cancel()
        let endpoint = Endpoint(
            url: "", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
            task: .requestPlain, httpHeaderFields: nil)
        let samples: [EndpointSampleResponse] = [
            .response(http, Data()),
            .networkError(NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut)),
        ]
        _ = try endpoint.replacing(task: .requestPlain).urlRequest().httpMethod
        _ = provider.endpoint(Any1()).httpHeaderFields
        _ = try response.filterSuccessfulStatusCodes().map(
            [Int].self, atKeyPath: "a", using: JSONDecoder(), failsOnEmptyData: false)
        _ = try response.filterSuccessfulStatusAndRedirectCodes().mapJSON(failsOnEmptyData: false)
        _ = try response.filter(statusCodes: 200..<300).mapString(atKeyPath: "a.b")
        _ = response.debugDescription
        _ =
            MoyaError.underlying(URLError(.timedOut), response).errorUserInfo[NSUnderlyingErrorKey]
            as? URLError
        _ = (MoyaError.statusCode(response) as NSError).code
        let plugins: [PluginType] = [
            AccessTokenPlugin { target in target.path + AuthorizationType.custom("Token").value },
            NetworkActivityPlugin { change, target in print(change == .began, target.path) },
            NetworkLoggerPlugin(
                configuration: .init(
                    output: { _, items in print(items) },
                    logOptions: [.requestMethod, .formatRequestAscURL])),
            NetworkLoggerPlugin(
                configuration: .init(
                    formatter: .init(entry: { "\($0) \($1) \($2.path)" }, responseData: { "\($0)" })
                )),
        ]
        _ = Moya.Method.connect.supportsMultipart
        let cancellable: Moya.Cancellable = CancellableToken {}
        _ = try URLEncoding(
            destination: .httpBody, arrayEncoding: .indexInBrackets, boolEncoding: .literal
        ).encode(URLRequest(url: url), with: ["a": [true]])
        _ = ProgressResponse(progress: Progress(totalUnitCount: 1), response: response).completed
        _ = (tasks, providers, samples, plugins, cancellable, load(provider, Any1()))
    }
}
