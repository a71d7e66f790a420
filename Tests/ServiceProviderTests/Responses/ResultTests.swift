// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ResultTests {
    private func describe(_ result: ServiceResult<Int>) -> String {
        switch result {
        case .success(let value): "success \(value)"
        case .failure(let error): "failure \(error)"
        case .empty: "empty"
        }
    }

    @Test func mapTransformsSuccess() {
        #expect(describe(ServiceResult.success("four").map { $0.count }) == "success 4")
    }

    @Test func mapKeepsFailureAndEmpty() {
        let other = ServiceError.invalidRequest(.path, reason: "it is wrong")
        #expect(
            describe(ServiceResult<String>.failure(other).map { $0.count }) == "failure \(other)")
        #expect(describe(ServiceResult<String>.empty.map { $0.count }) == "empty")
    }

    @Test func errorsThrownInMapBecomeFailures() {
        let result = ServiceResult.success("four").map { _ throws(ServiceError) -> Int in
            throw .cancelled
        }
        #expect(describe(result) == "failure \(ServiceError.cancelled)")
    }

    @Test func getReturnsTheValueOrThrows() throws {
        #expect(try ServiceResult.success(4).get() == 4)
        #expect(try ServiceResult<Int>.empty.get() == nil)
        #expect(throws: ServiceError.self) { try ServiceResult<Int>.failure(.cancelled).get() }
    }

    @Test func onlyAFailureIsNoSuccess() {
        #expect(ServiceResult.success(4).isSuccess)
        #expect(ServiceResult<Int>.empty.isSuccess)
        #expect(!ServiceResult<Int>.failure(.cancelled).isSuccess)
    }
}
