// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Options for a download.
public nonisolated struct ServiceDownloadOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Replaces an existing file, in one step, once the download is complete.
    ///
    /// Without this option, an existing file is an error. A folder, a symbolic link or a special file is an error
    /// in any case.
    public static let overwrite = ServiceDownloadOptions(rawValue: 1)
    /// Creates missing folders. Without this option, a missing folder is an error.
    public static let createFolders = ServiceDownloadOptions(rawValue: 2)
    /// Keeps the bytes of a failed download, and continues from there the next time.
    ///
    /// Both the next attempt of `ServiceRetry` and the next call continue. The bytes are kept beside
    /// the file, as `.<name>.part`. Their version (a strong `ETag`) and digests of their URL, before
    /// and after redirects, are in `.<name>.part.etag`, which only this user can read. To give up, remove both.
    /// If the server doesn't send a strong `ETag`, nothing is kept, and neither is it if the name of the file
    /// is so long that `.<name>.part.etag` has more than 255 bytes. To continue, the download requests
    /// the rest of the same version (`Range` and `If-Range`; RFC 9110, sections 13.1.5 and 14.2), again and again if
    /// the server sends less. It starts again from the first byte if the server has another version, ignores the
    /// range, or redirects to another origin, and if one of the URLs has changed. (The query isn't compared if it has
    /// a secret, because signed URLs have a new signature in each call.)
    ///
    /// A second download of the same file at the same time fails with `ServiceError.file(reason:)`, also in another
    /// process or of another user. So does each download in a file system without locks (`flock`). On iOS, tvOS,
    /// watchOS and visionOS, where the system ends an app that is suspended while it has a lock on a file of an app
    /// group, only downloads of the same process are noticed: an app and its extension must not download the same file
    /// at the same time.
    public static let resume = ServiceDownloadOptions(rawValue: 4)
}
