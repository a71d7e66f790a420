// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A file for bytes that aren't complete yet, with a hidden name in the folder of the complete file: `.<stem>.0.new`.
///
/// Its number is the first one that no running writer uses. A process that is killed leaves its file behind,
/// unlocked. The next writer with the same stem removes it.
package nonisolated final class ServiceTemporaryFile: Sendable {
    package let file: ServiceOpenFile
    /// Nil if the file can't be locked. Then others may remove it, which its writer notices.
    private let lock: ServiceFileLock?

    /// Creates an empty file. Bytes are written to its end. It is removed with this object, unless it has been renamed.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - stem: The start of the name, without the period.
    ///   - permissions: The process's `umask` is subtracted from them.
    package init(in folder: URL, stem: String, permissions: mode_t) throws {
        #if os(macOS) || canImport(FoundationNetworking)
        let writers = stem
        #else
        // Other processes, such as an app's extension, don't know of a lock here.
        let writers = "\(stem).\(ProcessInfo.processInfo.processName.digest)"
        #endif
        let paths = (0..<10_000).lazy.map {
            folder.appendingPathComponent(".\(writers).\($0).new").path
        }
        var refusals = 0
        for (index, path) in paths.enumerated() where Self.clear(path) {
            guard let file = try Self.create(path, permissions) else { continue }
            let lock = try? ServiceFileLock(file)
            // Another writer may have taken the new file for one that was left behind, and have locked it first. A
            // program that locks any file mustn't stop the writer for ever, though.
            guard file.item != nil, lock != nil || refusals >= 3 else {
                refusals += 1
                file.remove()
                continue
            }
            self.file = file
            self.lock = lock
            // Those that were killed at the same time have the next numbers.
            for path in paths.dropFirst(index + 1).prefix(8) {
                _ = Self.clear(path)
            }
            return
        }
        throw POSIXError(.EEXIST)
    }

    deinit { file.remove() }

    /// Nil if another writer has created the file meanwhile, or has removed this one.
    private static func create(_ path: String, _ permissions: mode_t) throws -> ServiceOpenFile? {
        do {
            let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND
            return try ServiceOpenFile(path, flags, permissions: permissions)
        } catch let error as POSIXError where [.EEXIST, .ESTALE].contains(error.code) {
            return nil
        }
    }

    /// Removes a file that was left behind. Returns whether nothing has this path now.
    private static func clear(_ path: String) -> Bool {
        guard let item = ServiceFileItem(path) else { return true }
        guard item.kind == .file, item.isOwn else { return false }
        guard let file = try? ServiceOpenFile(path, O_RDONLY),
            let lock = try? ServiceFileLock(file)
        else { return false }
        withExtendedLifetime(lock) { file.remove() }
        return true
    }
}
