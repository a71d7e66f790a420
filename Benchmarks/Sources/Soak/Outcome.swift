// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The outcome of a call.
enum Outcome: Hashable, CustomStringConvertible {
    case value, empty, cancelled
    case status(Int)
    case failure(URLError.Code)
    case other(String)

    init(_ error: any Error) {
        self =
            switch error as? ServiceError {
            case .cancelled: .cancelled
            case .transport(let error): .failure(error.code)
            case .unacceptableStatus(let response): .status(response.statusCode)
            case .some(let error): .other(error.description)
            case nil: .other("\(error)")
            }
    }

    init<Value>(_ result: ServiceResult<Value>, isRight: (Value) -> Bool) {
        self =
            switch result {
            case .success(let value): isRight(value) ? .value : .other("a wrong response")
            case .failure(let error): Outcome(error)
            case .empty: .empty
            }
    }

    var description: String {
        switch self {
        case .value: "value"
        case .empty: "empty"
        case .cancelled: "cancelled"
        case .status(let code): "status \(code)"
        case .failure(let code): "error \(code.rawValue)"
        case .other(let text): text
        }
    }
}
