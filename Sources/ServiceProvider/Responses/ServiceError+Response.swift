// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceError {
    /// The server's answer, if one came.
    public var response: ServiceResponse? {
        switch self {
        case .unacceptableStatus(let response), .emptyResponse(let response): response
        case .decoding(_, let response, _): response
        case .invalidRequest, .cancelled, .transport, .interceptor: nil
        }
    }

    /// The status code of the server's answer, if one came.
    public var statusCode: Int? { response?.statusCode }

    /// The body of the failed answer as a value, such as the server's own error type.
    ///
    /// - Returns: Nil when there was no answer, or when it is something else: what failed is still this
    ///   error.
    public func decode<U: Decodable>(_: U.Type, decoder: any ServiceDecoder = JSONDecoder()) -> U? {
        response.flatMap { try? decoder.decode(U.self, from: $0.data) }
    }
}
