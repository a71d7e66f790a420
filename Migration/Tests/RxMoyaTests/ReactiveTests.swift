// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ReactiveStandIn
import TestSupport
import Testing

#if !COCOAPODS
import Moya
#endif

/// The kit has what RxMoya's own files need.
@Suite(.serialized, .opensFiles, .timeLimit) struct ReactiveTests {
    enum API: TargetType {
        case names, file
        @TaskLocal static var url = URL(fileURLWithPath: "/")

        var baseURL: URL { API.url }
        var path: String { "/names" }
        var method: Method { .get }
        var task: Task { .requestPlain }
        var headers: [String: String]? { nil }
        var sampleData: Data { Data(#"{"data": ["b"]}"#.utf8) }
    }

    private func withServer(
        _ response: LoopbackResponse, _ work: (MoyaProvider<API>) async throws -> Void
    ) async throws {
        let server = try LoopbackServer { _ in response }
        try await API.$url.withValue(#require(URL(string: server.baseURL))) {
            try await work(MoyaProvider<API>())
        }
    }

    @Test func aSingleHasTheValueOfAResponse() async throws {
        try await withServer(.json(#"{"data": ["a"]}"#)) { provider in
            let names: [String] = try await withCheckedThrowingContinuation { continuation in
                provider.rx.request(.names).filterSuccessfulStatusCodes()
                    .map([String].self, atKeyPath: "data")
                    .subscribe { continuation.resume(with: $0) }
            }
            #expect(names == ["a"])
        }
    }

    @Test func aSingleFailsWithAnErrorOfMoya() async throws {
        try await withServer(.statusCode(404)) { provider in
            let error = await #expect(throws: MoyaError.self) {
                try await withCheckedThrowingContinuation { continuation in
                    provider.rx.request(.names).filter(statusCodes: 200..<300).mapJSON()
                        .map { "\($0)" }
                        .subscribe { continuation.resume(with: $0) }
                }
            }
            #expect(error?.response?.statusCode == 404)
        }
    }

    @Test func anObservableReportsProgress() async throws {
        try await withServer(.text("text")) { provider in
            let reports = Locked<[Double]>([])
            await withCheckedContinuation { continuation in
                _ = provider.rx.requestWithProgress(.file).filterProgress().subscribe { event in
                    switch event {
                    case .next(let progress): reports { $0.append(progress) }
                    case .error, .completed: continuation.resume()
                    }
                }
            }
            #expect(reports { $0.last } == 1)
        }
    }
}
