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

    /// Decodes the body of the response, such as the server's own error type.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Default: nil, which uses the endpoint's decoder, or else the provider's.
    /// - Returns: Nil if there was no response, or if its body can't be decoded as this type.
    public func decode<U: Decodable>(
        _ type: U.Type, decoder: (any ServiceDecoder)? = nil
    ) -> U? {
        guard let response else { return nil }
        let decoder = decoder ?? response.request.decoder ?? JSONDecoder()
        return try? decoder.decode(type, from: response.data)
    }
}
