// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Produces the bytes of a request's `httpBodyStream` while they are sent.
package nonisolated protocol ServiceBodySource: AnyObject, Sendable {
    /// The number of bytes to send. Nil if it isn't known, and the body is sent in chunks.
    var length: Int64? { get }

    /// Starts to produce bytes, once. A transport calls it if it doesn't read the stream itself, but gives it to the
    /// system, to which a failure looks like the end of the stream.
    ///
    /// - Parameter fail: Must end the transfer with the error, before the server sees the end of the body.
    func start(onFailure fail: @escaping @Sendable (any Error) -> Void)

    /// Stops, because the transfer has ended. Can be called often, and before `start`.
    func stop()
}

#if !canImport(FoundationNetworking)
/// A stream of a class of our own. URLSession gets another one, because its requirements for such classes aren't
/// documented.
package nonisolated protocol ServiceReplaceableStream: InputStream {
    /// A stream of the system with the same bytes, and the source that writes them.
    func replaced() throws -> (stream: InputStream, source: any ServiceBodySource)
}
#endif

nonisolated extension ServiceRequest {
    private enum BodySource: ServiceRequestOption {
        static var defaultValue: (any ServiceBodySource)? { nil }
    }

    /// Produces the bytes of `urlRequest.httpBodyStream`. Default: nil, the stream has them already. Without a
    /// stream, this is nil: a redirect, or an interceptor, may have removed the body.
    package var bodySource: (any ServiceBodySource)? {
        get { urlRequest.httpBodyStream == nil ? nil : self[BodySource.self] }
        set { self[BodySource.self] = newValue }
    }
}
