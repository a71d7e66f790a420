// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Keeps other downloads from writing to a file: those of this process, and those of other processes.
///
/// The lock (`flock`) belongs to the open file, so it ends with this object, or with the process.
nonisolated final class ServiceFileLock: Sendable {
    /// Another download has the lock.
    struct Taken: Error {}

    private let path: String
    private let descriptor: Int32
    private let number: Int

    /// Opens and locks a file. If it's missing, it is created. A link is replaced by a new file.
    ///
    /// - Throws: ``Taken``, or a `POSIXError`, such as `.ENOTSUP` if the file system has no locks.
    init(_ path: String) throws {
        // Another process may rename or remove the file before it is locked here.
        for _ in 0..<100 {
            guard let item = Item(path) else {
                try Self.create(path)
                continue
            }
            guard item.isOnlyFile else {
                try POSIXError.check(unlink(path))
                continue
            }
            // If another process puts a link there meanwhile, its number is another one.
            let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            let isGone = descriptor < 0 && errno == ENOENT
            guard !isGone else { continue }
            try POSIXError.check(descriptor)
            do {
                try Self.lock(descriptor)
            } catch {
                close(descriptor)
                throw error
            }
            if let locked = Item(path), locked == item {
                self.path = path
                self.descriptor = descriptor
                number = locked.number
                return
            }
            close(descriptor)
        }
        throw Taken()
    }

    deinit {
        // A process that is being started has this file open until it runs its program, and would keep the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Whether the file is still at its path. If so, it stays there until the lock ends.
    var isInPlace: Bool { Item(path)?.number == number }

    /// Removes the file's content.
    func empty() throws { try POSIXError.check(ftruncate(descriptor, 0)) }

    private static func create(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        do {
            try POSIXError.check(descriptor)
            close(descriptor)
        } catch let error as POSIXError where error.code == .EEXIST {
            // Another process has created it.
        }
    }

    private static func lock(_ descriptor: Int32) throws {
        let result = flock(descriptor, LOCK_EX | LOCK_NB)
        guard result == 0 || errno != EWOULDBLOCK else { throw Taken() }
        try POSIXError.check(result)
    }

    /// The item at a path.
    private struct Item: Equatable {
        /// The number of the file in its file system.
        let number: Int
        /// Whether it is a regular file with only this path. Writing to any other kind would change another file.
        let isOnlyFile: Bool

        /// Nil if it's missing.
        init?(_ path: String) {
            // Not `stat`, which an app has to declare in a privacy manifest.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let number = attributes?[.systemFileNumber] as? NSNumber else { return nil }
            self.number = number.intValue
            let links = attributes?[.referenceCount] as? NSNumber
            let type = attributes?[.type] as? FileAttributeType
            isOnlyFile = type == .typeRegular && links?.intValue ?? 1 <= 1
        }
    }
}
