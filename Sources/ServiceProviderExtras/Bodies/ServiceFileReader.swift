// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Reads as many bytes as a regular file had when it was opened, or else fails with a reason. Used by one thread at a time.
package nonisolated final class ServiceFileReader {
    /// The number of bytes.
    package let size: Int64
    /// Why there are fewer bytes.
    package private(set) var failure: ServiceError?

    private let file: FileHandle
    private let path: String
    private var offset: Int64 = 0

    /// Opens a file.
    ///
    /// - Throws: `ServiceError.invalidRequest(_:reason:)` unless the URL leads to a regular file that can be read.
    package init(_ url: URL) throws {
        let scheme = url.scheme ?? ""
        try ServiceError.require(
            url.isFileURL, of: .body, reason: "the URL's scheme is '\(scheme)', not 'file'")
        path = url.path
        file = try Self.regularFile(at: url)
        // The size of the open file: another one may have its path by now.
        size = Int64(lseek(file.fileDescriptor, 0, SEEK_END))
        try ServiceError.require(size >= 0, of: .body, reason: "'\(path)' can't be read")
    }

    /// Reads the next bytes. Returns 0 after the last one, and -1 if the file has failed.
    package func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let rest = Int(min(Int64(buffer.count), size - offset))
        guard rest > 0, failure == nil else { return failure == nil ? 0 : -1 }
        // Not `FileHandle.read`: on Apple platforms, its objects would stay in memory until the thread drains its pool.
        let count = pread(file.fileDescriptor, buffer.baseAddress, rest, off_t(offset))
        offset += Int64(max(count, 0))
        guard count <= 0 else { return count }
        let problem = count == 0 ? "became shorter while it was sent" : "can't be read any more"
        failure = .invalidRequest(.body, reason: "'\(path)' \(problem)")
        return -1
    }

    private static func opened(_ path: String) throws -> FileHandle {
        // `O_NONBLOCK`: a FIFO waits for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let problem = errno == ENOENT ? "doesn't exist" : "can't be read"
        try ServiceError.require(descriptor >= 0, of: .body, reason: "'\(path)' \(problem)")
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    #if canImport(FoundationNetworking)
    private static func regularFile(at url: URL) throws -> FileHandle {
        let path = url.path
        let file = try opened(path)
        var status = stat()
        let isRead = fstat(file.fileDescriptor, &status) == 0
        let kind = status.st_mode & S_IFMT
        try ServiceError.require(isRead, of: .body, reason: "'\(path)' can't be read")
        try ServiceError.require(kind != S_IFDIR, of: .body, reason: "'\(path)' is a folder")
        try ServiceError.require(
            kind == S_IFREG, of: .body, reason: "'\(path)' isn't a regular file")
        return file
    }
    #else
    private static func regularFile(at url: URL) throws -> FileHandle {
        let path = url.path
        // Not `fstat`, which an app has to declare in a privacy manifest.
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .isDirectoryKey]
        // A new URL, because URLs keep the values that they have read.
        let target = URL(fileURLWithPath: url.resolvingSymlinksInPath().path)
        let values = try? target.resourceValues(forKeys: keys)
        let isFile = values?.isRegularFile == true
        try ServiceError.require(values != nil, of: .body, reason: "'\(path)' doesn't exist")
        try ServiceError.require(
            values?.isDirectory != true, of: .body, reason: "'\(path)' is a folder")
        try ServiceError.require(isFile, of: .body, reason: "'\(path)' isn't a regular file")
        return try opened(target.path)
    }
    #endif
}
