// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    private enum MaximumBodySize: ServiceRequestOption {
        static var defaultValue: Int64? { nil }
    }

    /// How many bytes a body of a response may have in ``ServiceResponse/data``. Default: nil, the transport's limit:
    /// ``defaultMaximumBodySize``, unless a `CurlTransport` has another.
    ///
    /// It counts for each status, also for a redirect (not with URLSession on Linux), and for the bytes after
    /// decompression. A larger body ends the call with `URLError.dataLengthExceedsMaximum`, as soon as it has too many
    /// bytes. The bodies of downloads and streams aren't in memory, except those of errors.
    ///
    /// ```swift
    /// func prepare(_ request: inout ServiceRequest) { request.maximumBodySize = 1 << 20 }
    /// ```
    public var maximumBodySize: Int64? {
        get { self[MaximumBodySize.self] }
        set { self[MaximumBodySize.self] = newValue }
    }

    /// 512 MB.
    public static let defaultMaximumBodySize: Int64 = 512 << 20

    /// Throws `URLError.dataLengthExceedsMaximum` for a body that is too large.
    package static func require(bodySize size: Int64, atMost maximum: Int64) throws {
        guard size > maximum else { return }
        let text = "The body is larger than maximumBodySize, \(maximum) bytes."
        throw URLError(.dataLengthExceedsMaximum, text)
    }
}
