// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProviderSupport
import TestSupport
import Testing

/// Locks of files: those that other processes see, and those of one process, as on iOS.
@Suite(.serialized, .opensFiles, .timeLimit) struct FileLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write(to: "a").path
    }

    private func opened() throws -> ServiceOpenFile { try ServiceOpenFile(path, O_RDWR) }

    @Test(arguments: [true, false])
    func aFileHasOneLock(_ isShared: Bool) throws {
        var lock: ServiceFileLock? = try ServiceFileLock(opened(), isShared: isShared)
        #expect(throws: ServiceFileLock.Taken.self) {
            try ServiceFileLock(opened(), isShared: isShared)
        }
        _ = try ServiceFileLock(
            ServiceOpenFile(folder.write(to: "b").path, O_RDWR), isShared: isShared)
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try ServiceFileLock(opened(), isShared: isShared)
    }

    /// iOS ends an app that is suspended while it has such a lock.
    @Test func aLockOfOneProcessDoesNotLockTheFile() throws {
        let lock = try ServiceFileLock(opened(), isShared: false)
        let other = try opened()
        #expect(flock(other.descriptor, LOCK_EX | LOCK_NB) == 0)
        withExtendedLifetime(lock) {}
    }

    @Test func aFileThatIsNoLongerAtItsPathHasNoLock() throws {
        let file = try opened()
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: POSIXError(.ESTALE)) { try ServiceFileLock(file, isShared: false) }
    }
}
#endif
