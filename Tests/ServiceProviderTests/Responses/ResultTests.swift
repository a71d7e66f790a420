// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import TestSupport
import Testing

@Suite struct ResultTests {
    private func words(_ result: ServiceResult<Int>) -> String {
        switch result {
        case .success(let value): "success \(value)"
        case .failure(let error): "failure \(error)"
        case .empty: "empty"
        }
    }

    @Test func mapTransformsSuccess() {
        #expect(words(ServiceResult.success("four").map { $0.count }) == "success 4")
    }

    @Test func mapKeepsFailureAndEmpty() {
        let other = ServiceError.invalidRequest(.path, reason: "it is wrong")
        #expect(words(ServiceResult<String>.failure(other).map { $0.count }) == "failure \(other)")
        #expect(words(ServiceResult<String>.empty.map { $0.count }) == "empty")
    }

    @Test func errorsThrownInMapBecomeFailures() {
        let result = ServiceResult.success("four").map { _ throws(ServiceError) -> Int in
            throw .cancelled
        }
        #expect(words(result) == "failure \(ServiceError.cancelled)")
    }
}
