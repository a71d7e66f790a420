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
    /// The file's number in the registry of this process. Nil if the file itself is locked.
    private let number: UInt64?

    private static let locked = ServiceLocked<Set<UInt64>>([])

    #if os(macOS) || canImport(FoundationNetworking)
    package static let isSharedByDefault = true
    #else
    package static let isSharedByDefault = false
    #endif

    /// Locks a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isShared: Whether other processes see the lock.
    /// - Throws: ``Taken``, or a `POSIXError`: such as `.ENOTSUP` if the file system has no locks, and `.ESTALE` if the
    ///   file is no longer at its path.
    package init(_ file: ServiceOpenFile, isShared: Bool = isSharedByDefault) throws {
        if isShared {
            let result = flock(file.descriptor, LOCK_EX | LOCK_NB)
            guard result == 0 || errno != EWOULDBLOCK else { throw Taken() }
            try POSIXError.check(result)
            number = nil
        } else {
            guard let own = file.item?.number else { throw POSIXError(.ESTALE) }
            guard Self.locked.withLock({ $0.insert(own).inserted }) else { throw Taken() }
            number = own
        }
        self.file = file
    }

    deinit {
        guard let number else {
            // A process that is being started has this file open until it runs its program, and would keep the lock.
            flock(file.descriptor, LOCK_UN)
            return
        }
        Self.locked.withLock { _ = $0.remove(number) }
    }
}
