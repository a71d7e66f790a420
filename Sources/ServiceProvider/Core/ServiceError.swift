// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What can go wrong, in the order in which a call can fail.
///
/// With `ServiceError+Description.swift`, its text (`description`, `localizedDescription`) is a sentence
/// for people. None holds a secret.
public nonisolated indirect enum ServiceError: Error, Sendable {
    /// The request could not be built: which part is wrong, and why. Nothing was sent; or not all of it,
    /// where a file could not be read to its end.
    case invalidRequest(RequestPart, reason: String)
    /// The call was cancelled.
    case cancelled
    /// There was no HTTP answer: no network, no such host, a time-out, a connection that broke.
    case transport(URLError)
    /// The server answered with a status that the service does not count as success. Its headers and
    /// body are here as well; see ``decode(_:decoder:)``.
    case unacceptableStatus(ServiceResponse)
    /// A value was asked for, and the answer has no body. (Only async calls throw it; completion
    /// handlers get ``ServiceResult/empty``.)
    case emptyResponse(ServiceResponse)
    /// The body could not be decoded as the type of that name.
    case decoding(any Error, ServiceResponse, as: String)
    /// An interceptor threw an error that is none of the above.
    case interceptor(any Error)

    /// A part of a request, by the name that error texts give it.
    public enum RequestPart: String, Sendable {
        /// ``Service/baseURL``.
        case baseURL = "base URL"
        /// What ``Service`` calls so, or its plural; the file that a download is to make.
        case path, method, parameter, header, body, timeout, file
    }

    /// Throws when a part of a request is not as it must be.
    static func require(
        _ condition: Bool, _ part: RequestPart, _ reason: @autoclosure () -> String
    ) throws(ServiceError) {
        if !condition { throw .invalidRequest(part, reason: reason()) }
    }

    /// Sorts what was thrown between the service and the decoder.
    ///
    /// - Parameter part: What was being made, opened or read; nil where none was.
    init(_ error: any Error, of part: RequestPart? = nil) {
        switch (error, part) {
        case (let error as ServiceError, _): self = error
        case (is CancellationError, _), (URLError.cancelled, nil): self = .cancelled
        case (let error as URLError, nil): self = .transport(error)
        case (EncodingError.invalidValue(_, let context), let part?):
            // Not the value itself: it may be a secret.
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self = .invalidRequest(part, reason: "'\(path)': \(context.debugDescription)")
        case (_, let part?): self = .invalidRequest(part, reason: error.localizedDescription)
        case (_, nil): self = .interceptor(error)
        }
    }
}

nonisolated extension ServiceError: CustomReflectable {
    /// Empty: `dump` would print what a decoder quotes from the response.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
