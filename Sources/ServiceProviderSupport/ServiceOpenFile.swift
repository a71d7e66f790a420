// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An open file or folder, which other programs may rename, replace or remove meanwhile.
package nonisolated final class ServiceOpenFile: Sendable {
    package let path: String
    package let descriptor: Int32
    private let number: UInt64

    /// Opens or creates a file. It never waits, as opening a FIFO would, and never follows a link.
    ///
    /// - Throws: `POSIXError`; its code is `.ESTALE` if the path leads to another kind of item, or if another
    ///   program has replaced the item meanwhile.
    package init(
        _ path: String, _ flags: Int32, permissions: mode_t = 0o600,
        kind: ServiceFileItem.Kind = .file
    ) throws {
        let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, permissions)
        try POSIXError.check(descriptor)
        // If the number of the open file can't be read, that of the path has to do.
        let number = ServiceFileItem.number(of: descriptor)
        guard let item = ServiceFileItem(path), item.kind == kind,
            number ?? item.number == item.number
        else {
            close(descriptor)
            throw POSIXError(.ESTALE)
        }
        self.path = path
        self.descriptor = descriptor
        self.number = item.number
    }

    deinit { close(descriptor) }

    /// The item at the path; nil if that is no longer this file.
    package var item: ServiceFileItem? { item(at: path) }

    /// The item at another path; nil if that isn't this file.
    package func item(at path: String) -> ServiceFileItem? {
        guard let item = ServiceFileItem(path), item.number == number else { return nil }
        return item
    }

    /// The size in bytes.
    package var size: Int64 { Int64(lseek(descriptor, 0, SEEK_END)) }

    /// Reads the file from its first byte; at most this many bytes.
    package func read(atMost limit: Int) throws -> Data {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try handle.seek(toOffset: 0)
        return try handle.read(upToCount: limit) ?? Data()
    }

    /// Writes bytes: at the end if the file was opened for that.
    package func write(_ data: Data) throws {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try handle.write(contentsOf: data)
    }

    /// Removes the path, if it still leads to this file.
    package func remove() {
        guard item != nil else { return }
        unlink(path)
    }
}
