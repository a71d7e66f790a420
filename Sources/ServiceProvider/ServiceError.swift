// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// An error of a call. Every error that a provider throws has this type.
///
/// ```swift
/// do {
///     show(try await provider.load(service: .heroes, decodeType: [Hero].self))
/// } catch let error as ServiceError {
///     alert(error.localizedDescription)
/// }
/// ```
///
/// `localizedDescription` is a short sentence for people, and ``description`` is for developers. Both quote
/// nothing that a server sent, and no header, query or body. One exception: if a redirected request gets no
/// complete response, ``description`` shows the new scheme, host and port. Both show the text of an interceptor's own
/// error as it is.
public nonisolated indirect enum ServiceError: Error, Sendable {
    /// The request can't be built. The associated values name the invalid part and give the reason.
    case invalidRequest(RequestPart, reason: String)
    /// A file for a response can't be written or read: that of a download or of a recording.
    case file(reason: String)
    /// The call was cancelled.
    case cancelled
    /// No complete HTTP response arrived: no network, an unknown host, a timeout, a lost connection.
    case transport(URLError)
    /// The status isn't one of ``Service/validStatusCodes``. To read the server's own error:
    /// `try? error.response?.decode(APIError.self)`.
    case unacceptableStatus(ServiceResponse)
    /// An async call asked for a value, and the response has no body. (Handlers get
    /// ``ServiceResult/empty``.)
    case emptyResponse(ServiceResponse)
    /// The body can't be decoded as this type.
    case decoding(any Error, ServiceResponse, as: String)
    /// An interceptor or ``Service/prepare(_:)`` threw an error of its own type.
    case interceptor(any Error)

    /// A part of a request: a property of ``Service``.
    public enum RequestPart: Sendable {
        case baseURL, path, method, parameter, header, body, timeout
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
            self = .invalidRequest(part, reason: "a value\(path): \(context.debugDescription)")
        case (_, let part?): self = .invalidRequest(part, reason: error.localizedDescription)
        case (_, nil): self = .interceptor(error)
        }
    }

    /// Throws ``invalidRequest(_:reason:)`` unless a condition holds.
    public static func require(
        _ condition: Bool, of part: RequestPart, reason: @autoclosure () -> String
    ) throws {
        guard condition else { throw ServiceError.invalidRequest(part, reason: reason()) }
    }

    /// Runs code, and wraps its errors.
    static func wrapping<Value>(_ part: RequestPart?, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            throw ServiceError(error, of: part)
        }
    }

    /// The response, if there was one.
    public var response: ServiceResponse? {
        switch self {
        case .unacceptableStatus(let response), .emptyResponse(let response): response
        case .decoding(_, let response, _): response
        case .invalidRequest, .file, .cancelled, .transport, .interceptor: nil
        }
    }

    /// The status code of the response, if there was one.
    public var statusCode: Int? { response?.statusCode }
}
