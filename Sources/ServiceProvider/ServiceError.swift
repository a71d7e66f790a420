// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// An error of a call.
///
/// Its text (`description`, `localizedDescription`) is a sentence for people. A word of 6 or more
/// characters is redacted if the request sent it in the query, in a header that may be secret, or
/// in the first 64 KB of a body in memory. The text of an interceptor's error is shown as it is.
public nonisolated indirect enum ServiceError: Error, Sendable {
    /// The request can't be built, or a file can't be read or created. The associated values name
    /// the invalid part and give the reason.
    case invalidRequest(RequestPart, reason: String)
    /// The call was cancelled.
    case cancelled
    /// No complete HTTP response arrived: no network, an unknown host, a timeout, a lost connection.
    case transport(URLError)
    /// The status isn't one of ``Service/validStatusCodes``. For the server's own error, see
    /// ``decode(_:decoder:)``.
    case unacceptableStatus(ServiceResponse)
    /// An async call asked for a value, and the response has no body. (Handlers get
    /// ``ServiceResult/empty``.)
    case emptyResponse(ServiceResponse)
    /// The body can't be decoded as this type.
    case decoding(any Error, ServiceResponse, as: String)
    /// An interceptor or ``Service/prepare(_:)`` threw an error of its own type.
    case interceptor(any Error)

    /// A part of a request, named as in error texts.
    public enum RequestPart: String, Sendable {
        /// ``Service/baseURL``.
        case baseURL = "base URL"
        /// Other properties of ``Service``, and the file of a download.
        case path, method, parameter, header, body, timeout, file
    }

    /// Wraps any error, unless it is a ``ServiceError`` already.
    ///
    /// A `CancellationError` becomes ``cancelled``.
    ///
    /// - Parameter part: The part of the request that the error is about. If nil (the default),
    ///   `URLError.cancelled` becomes ``cancelled``, other `URLError`s become ``transport(_:)``, and
    ///   all other errors become ``interceptor(_:)``.
    public init(_ error: any Error, of part: RequestPart? = nil) {
        switch (error, part) {
        case (let error as ServiceError, _): self = error
        case (is CancellationError, _), (URLError.cancelled, nil): self = .cancelled
        case (let error as URLError, nil): self = .transport(error)
        case (EncodingError.invalidValue(_, let context), let part?):
            // Without the value, which may be secret.
            let path = Self.text(of: context.codingPath)
            let place = path.isEmpty ? "" : "'\(path)': "
            self = .invalidRequest(part, reason: place + context.debugDescription)
        case (_, let part?): self = .invalidRequest(part, reason: error.localizedDescription)
        case (_, nil): self = .interceptor(error)
        }
    }

    /// Throws ``invalidRequest(_:reason:)`` unless a condition holds.
    public static func require(
        _ condition: Bool, _ part: RequestPart, _ reason: @autoclosure () -> String
    ) throws(ServiceError) {
        if !condition { throw .invalidRequest(part, reason: reason()) }
    }

    /// A coding path as in code: `data.results[3].id`.
    static func text(of path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text
    }
}

nonisolated extension ServiceError {
    /// The response, if there was one.
    public var response: ServiceResponse? {
        switch self {
        case .unacceptableStatus(let response), .emptyResponse(let response): response
        case .decoding(_, let response, _): response
        case .invalidRequest, .cancelled, .transport, .interceptor: nil
        }
    }

    /// The status code of the response, if there was one.
    public var statusCode: Int? { response?.statusCode }

    /// Decodes the body of the response, for example as the server's own error type.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Default: nil, which uses the decoder of the call.
    /// - Returns: Nil without a response, or if its body can't be decoded as this type.
    public func decode<U: Decodable>(
        _ type: U.Type, decoder: (any ServiceDecoder)? = nil
    ) -> U? {
        guard let response else { return nil }
        let decoder = decoder ?? response.request.decoder ?? JSONDecoder()
        return try? decoder.decode(type, from: response.data)
    }
}
