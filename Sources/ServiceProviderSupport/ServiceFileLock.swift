// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Keeps others from using a file: those of this process, and those of other processes.
///
/// The lock ends with this object, or with the process. On macOS and Linux, it is the file's own (`flock`). iOS
/// ends an app that is suspended while it has such a lock on a file of an app group, so there, and on systems like
/// it, only this process knows of the lock.
package nonisolated final class ServiceFileLock: Sendable {
    /// Another user of the file has the lock.
    package struct Taken: Error {
        package init() {}
    }

    package let file: ServiceOpenFile

    #if os(macOS) || canImport(FoundationNetworking)
    /// Locks a file.
    ///
    /// - Throws: ``Taken``, or a `POSIXError`, such as `.ENOTSUP` if the file system has no locks.
    package init(_ file: ServiceOpenFile) throws {
        let result = flock(file.descriptor, LOCK_EX | LOCK_NB)
        guard result == 0 || errno != EWOULDBLOCK else { throw Taken() }
        try POSIXError.check(result)
        self.file = file
    }

    deinit {
        // A process that is being started has this file open until it runs its program, and would keep the lock.
        flock(file.descriptor, LOCK_UN)
    }
    #else
    private static let locked = ServiceLocked<Set<UInt64>>([])
    private let number: UInt64

    /// Locks a file.
    ///
    /// - Throws: ``Taken``, or a `POSIXError` if the file is no longer at its path.
    package init(_ file: ServiceOpenFile) throws {
        guard let number = file.item?.number else { throw POSIXError(.ESTALE) }
        guard Self.locked.withLock({ $0.insert(number).inserted }) else { throw Taken() }
        self.file = file
        self.number = number
    }

    deinit {
        let number = number
        Self.locked.withLock { _ = $0.remove(number) }
    }
    #endif
}
