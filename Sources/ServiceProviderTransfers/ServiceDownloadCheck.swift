// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Checks a downloaded file before it gets its name. A file that fails a check is removed, even
/// with ``ServiceDownloadOptions/resume``.
///
/// ```swift
/// let check = ServiceDownloadCheck(size: 5_000_000) { file in
///     guard try digest(of: file) == expected else { throw WrongDigest() }
/// }
/// ```
public nonisolated struct ServiceDownloadCheck: Sendable {
    /// The size of the file in bytes. Default: nil, which allows any size.
    ///
    /// A file of another size fails with `ServiceError.transport(_:)` and
    /// `URLError.badServerResponse`. A longer body is stopped immediately, and a `ServiceRetry` loads it again.
    public var size: Int64?
    /// Called with the complete file, which still has a temporary name. Default: nil.
    ///
    /// If it throws, the download fails with that error, wrapped by `ServiceError.init(_:)`. A
    /// `ServiceRetry` doesn't try again. The closure may take long: it runs on a thread of its own, off the main actor.
    public var verify: (@Sendable (URL) throws -> Void)?

    /// Creates a check.
    public init(size: Int64? = nil, verify: (@Sendable (URL) throws -> Void)? = nil) {
        self.size = size
        self.verify = verify
    }
}
