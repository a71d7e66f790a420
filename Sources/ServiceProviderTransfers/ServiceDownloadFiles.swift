// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The files of one download until it is complete. This is the only place that decides their names.
///
/// For the target `film.mp4`:
///
/// | Name | With | Has |
/// |---|---|---|
/// | `.film.mp4.0.new` | no options | the bytes; another number if several downloads run |
/// | `.download.0.new` | a folder as target | the same, because its file has no name yet |
/// | `.film.mp4.part` | `.resume` | the bytes |
/// | `.film.mp4.part.etag` | `.resume` | the notes: the source of the bytes. Only its user can open it |
///
/// A server can't suggest such a name, because suggestions don't start with a period.
///
/// 1. *Create.* `ServiceTemporaryFile` creates and locks `.0.new`. With `.resume`, the notes are created or opened,
///    and locked: not the bytes, because any reader of a file can lock it. Bytes without notes are replaced.
/// 2. *Write.* All bytes go to the end of the file that was opened first, whatever its path leads to by now. While
///    bytes of another source are removed, the file has no notes. So a process can be killed at any time.
/// 3. *Finish.* The notes are emptied. The bytes are written to the disk. If the file has as many bytes as were written,
///    and its path still leads to it, it's renamed, or linked if it may not replace another file. The same is checked
///    at its new path.
/// 4. *Clean up.* `.0.new` is removed. So are the bytes and the notes, unless the notes say that the bytes can be
///    continued. Then the notes get their number. A killed process leaves its files: the next download of the same
///    target removes or continues them.
nonisolated final class ServiceDownloadFiles: Sendable {
    private struct State {
        /// How many bytes the file has, unless another program has changed it.
        var size: Int64 = 0
        var notes: ServiceDownloadNotes?
    }

    private let bytes: ServiceOpenFile
    /// Has the lock of the bytes, and removes them. Nil if the bytes are kept.
    private let temporary: ServiceTemporaryFile?
    /// The notes; nil if the bytes aren't kept.
    private let lock: ServiceFileLock?
    private let state = ServiceLocked(State())

    /// Whether the bytes of a failed download are kept: not if the name of their notes had more than 255 bytes.
    static func areKept(for target: ServiceDownloadTarget) -> Bool {
        let name = target.place.lastPathComponent
        return target.options.contains(.resume) && name.utf8.count <= 244
    }

    /// Creates the files, or opens those of an earlier download.
    ///
    /// - Throws: `ServiceFileLock.Taken`, ``Foreign`` or a `POSIXError`.
    init(for target: ServiceDownloadTarget) throws {
        let name = target.place.lastPathComponent
        guard Self.areKept(for: target) else {
            // The whole name has at most 255 bytes.
            let shortName = name.utf8.count <= 200 ? name : name.digest
            let stem = target.isFolder ? "download" : shortName
            let file = try ServiceTemporaryFile(
                in: target.folder, stem: stem, permissions: 0o666)
            temporary = file
            bytes = file.file
            lock = nil
            return
        }
        let path = target.folder.appendingPathComponent(".\(name).part").path
        let lock = try Self.lockedNotes("\(path).etag")
        let notes = ServiceDownloadNotes(in: lock.file)
        let kept = notes.flatMap { Self.keptBytes(path, $0) }
        do {
            bytes = try kept ?? Self.newBytes(path)
        } catch {
            lock.file.remove()
            throw error
        }
        temporary = nil
        self.lock = lock
        let size = bytes.size
        state.withLock { $0 = State(size: size, notes: kept == nil ? nil : notes) }
    }

    /// A file belongs to another user. That user may be downloading it.
    struct Foreign: Error {}

    /// Opens and locks the notes, and creates them if they're missing. Replaces a link.
    private static func lockedNotes(_ path: String) throws -> ServiceFileLock {
        // Another process may remove the file before it is locked here.
        for _ in 0..<100 {
            let old = ServiceFileItem(path)
            if let old {
                guard old.kind == .file, old.links == 1 else {
                    try POSIXError.check(unlink(path))
                    continue
                }
                guard old.isOwn else { throw Foreign() }
            }
            do {
                let flags = old == nil ? O_RDWR | O_CREAT | O_EXCL : O_RDWR
                let file = try ServiceOpenFile(path, flags)
                let lock = try ServiceFileLock(file)
                guard file.item?.links == 1 else { continue }
                // Others could lock it for ever.
                try POSIXError.check(fchmod(file.descriptor, 0o600))
                return lock
            } catch let error as POSIXError
                where [.EEXIST, .ENOENT, .ELOOP, .ENXIO, .ESTALE].contains(error.code)
            {
                // Another program has just created, replaced or removed it.
            }
        }
        throw ServiceFileLock.Taken()
    }

    /// The bytes of an earlier download. Nil if this user has none, if the file has another path, too, or if another
    /// program has changed its size.
    private static func keptBytes(
        _ path: String, _ notes: ServiceDownloadNotes
    ) -> ServiceOpenFile? {
        guard let file = try? ServiceOpenFile(path, O_RDWR | O_APPEND), let item = file.item,
            item.isOwn, item.links == 1, notes.size ?? file.size == file.size
        else { return nil }
        return file
    }

    /// A new file, even if there is an old one: a download may still write to that one after its notes were removed.
    private static func newBytes(_ path: String) throws -> ServiceOpenFile {
        unlink(path)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND
        return try ServiceOpenFile(path, flags, permissions: 0o666)
    }

    // MARK: - The bytes

    var url: URL { URL(fileURLWithPath: bytes.path) }

    /// The number of bytes that were written.
    var size: Int64 { state.withLock { $0.size } }

    /// Removes the bytes from an offset on.
    func truncate(at offset: Int64) throws {
        try state.withLock { state in
            // If another program has made the file shorter, this would make it longer, with zeros.
            if offset > 0 {
                guard bytes.size == state.size else { throw Self.changed }
                guard offset < state.size else { return }
            }
            try POSIXError.check(ftruncate(bytes.descriptor, off_t(offset)))
            state.size = offset
        }
    }

    func append(_ chunk: Data) throws {
        try state.withLock { state in
            let end = state.size + Int64(chunk.count)
            do {
                try bytes.write(chunk)
                state.size = end
            } catch {
                // A full disk takes a part of them.
                state.size = min(max(bytes.size, state.size), end)
                throw error
            }
        }
    }

    /// Throws if another program has replaced the file, or has changed its size.
    func check() throws {
        let isLocked = lock == nil || lock?.file.item != nil
        guard isLocked, bytes.item != nil, isWhole else { throw Self.changed }
    }

    /// Whether the file has as many bytes as were written. Under the lock, because a cancelled call may still write.
    private var isWhole: Bool { state.withLock { bytes.size == $0.size } }

    private static let changed = URLError(
        .cannotWriteToFile, "Another program changed the file while it was downloaded.")

    // MARK: - The notes

    /// The source of the bytes; nil if it isn't known.
    var notes: ServiceDownloadNotes? {
        get { state.withLock { $0.notes } }
        set {
            guard let file = lock?.file else { return }
            state.withLock { state in
                state.notes = nil
                guard ftruncate(file.descriptor, 0) == 0, let newValue else { return }
                lseek(file.descriptor, 0, SEEK_SET)
                let isWritten: Void? = try? file.write(newValue.encoded)
                state.notes = isWritten.map { newValue }
            }
        }
    }

    // MARK: - Ending

    /// Gives the complete file its name.
    func move(to file: URL, replacing: Bool) throws {
        try check()
        if replacing {
            try POSIXError.check(rename(bytes.path, file.path))
        } else if link(bytes.path, file.path) != 0 {
            // A link never replaces a file, not even a new one. Without hard links, look first.
            guard errno != EEXIST, ServiceFileItem(file.path) == nil else {
                throw POSIXError(.EEXIST)
            }
            try POSIXError.check(rename(bytes.path, file.path))
        }
        // Before the last check, so that no other program finds the file by this path.
        bytes.remove()
        guard bytes.item(at: file.path) != nil else { throw Self.changed }
        guard isWhole else {
            unlink(file.path)
            throw Self.changed
        }
    }

    /// Writes the bytes to the disk. If the disk has the file's name after a power failure, it has the bytes, too.
    func synchronize() throws { try POSIXError.check(fsync(bytes.descriptor)) }

    /// Removes the files, unless a later download can continue them.
    func cleanUp() {
        let isIntact: Void? = try? check()
        if var notes, isIntact != nil {
            notes.size = size
            self.notes = notes
            // A full disk may not take them.
            guard self.notes == nil else { return }
        }
        bytes.remove()
        lock?.file.remove()
    }
}
