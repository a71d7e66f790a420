// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Stores responses in files, for ``ServiceCache``, so that they are still there when the app
/// starts again.
///
/// ```swift
/// let store = ServiceDirectoryStore(caches.appendingPathComponent("Blog"), maximumSize: 50 << 20)
/// let provider = ServiceProvider<BlogService>(interceptors: [ServiceCache(store: store)])
/// ```
///
/// Several processes of one user can use the same folder. Files appear complete or not at all. A damaged file (each
/// has a checksum), or a file from another program, is treated as missing. No call fails because the folder is
/// missing, full or not writable. On iOS, the files can be read once the device has been unlocked
/// after a restart.
///
/// The responses that were written first are removed first, many at a time: new files go to the
/// folder `ServiceCache-new`. When that folder is large, it is renamed to `ServiceCache-old` and
/// replaces the previous one. Only the user has permissions for these two folders. One with other permissions is
/// replaced, because other users may have written to it. One of another user isn't used.
public nonisolated final class ServiceDirectoryStore: ServiceResponseStore {
    private let newer: URL
    private let older: URL
    private let maximumSize: Int
    /// How many bytes were written since the newer files were measured.
    private let unmeasured: ServiceLocked<Int>

    /// Creates a store. The folder is created when the first response is stored.
    ///
    /// - Parameters:
    ///   - folder: A folder, such as one in the user's caches.
    ///   - maximumSize: How many bytes the files may have. A response larger than a tenth
    ///     of that isn't stored. If more than two processes use the folder, each one after the
    ///     second may add another fifth. Default: 50 MB.
    public init(_ folder: URL, maximumSize: Int = 50 << 20) {
        newer = folder.appendingPathComponent("ServiceCache-new")
        older = folder.appendingPathComponent("ServiceCache-old")
        self.maximumSize = min(max(maximumSize, 0), .max / 2)
        unmeasured = ServiceLocked(self.maximumSize)
    }

    /// Reads a response.
    @concurrent public func response(for url: String) async -> ServiceStoredResponse? {
        for file in files(for: url) where Self.isUsable(file.deletingLastPathComponent()) {
            guard ServiceFileItem(file.path) != nil else { continue }
            // If the newer item is damaged, or isn't a file, the older one is outdated.
            return response(in: file, for: url)
        }
        return nil
    }

    private func response(in file: URL, for url: String) -> ServiceStoredResponse? {
        // Another user may have replaced the folder since it was checked.
        guard let file = try? ServiceOpenFile(file.path, O_RDONLY), file.item?.isOwn == true else {
            return nil
        }
        let size = file.size
        guard size <= maximumSize, let data = try? file.read(atMost: Int(size)),
            let json = Self.content(of: data)
        else { return nil }
        return try? JSONDecoder().decode([String: ServiceStoredResponse].self, from: json)[url]
    }

    /// Writes a response.
    @concurrent public func store(_ response: ServiceStoredResponse, for url: String) async {
        do {
            // With its URL, because two URLs may have the same digest.
            let json = try JSONEncoder().encode([url: response])
            guard json.count <= maximumSize / 10 else { throw CocoaError(.fileWriteOutOfSpace) }
            makeRoom(forBytes: json.count)
            try createFolder()
            let file = try ServiceTemporaryFile(in: newer, stem: "response", permissions: 0o600)
            try Self.write(Self.checksum(of: json) + json, to: file.file)
            let path = newer.appendingPathComponent(url.digest).path
            try POSIXError.check(rename(file.file.path, path))
        } catch {
            await removeResponse(for: url)
        }
    }

    /// Creates the folder of the newer files, unless it can be used.
    private func createFolder() throws {
        if !Self.isUsable(newer) {
            Self.remove(newer)
        }
        // Other users of a server can't read it.
        try FileManager.default.createDirectory(
            at: newer, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard Self.isUsable(newer) else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// Whether only this user may write to a folder, or read it.
    private static func isUsable(_ folder: URL) -> Bool {
        guard let item = ServiceFileItem(folder.path) else { return false }
        return item.kind == .folder && item.isOwn && item.isPrivate
    }

    // MARK: - Checksums

    /// The first line of a file. Finds each damage of a single byte, and nearly all others.
    private static func checksum(of json: Data) -> Data {
        let digest = json.withUnsafeBytes { $0.digest }
        return Data("\(digest)\n".utf8)
    }

    /// The content of a file without its checksum; nil if the file is damaged.
    private static func content(of data: Data) -> Data? {
        guard let end = data.prefix(17).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let json = data.suffix(from: end + 1)
        return data.prefix(through: end) == checksum(of: json) ? json : nil
    }

    // MARK: - Removing

    /// Deletes a response.
    @concurrent public func removeResponse(for url: String) async {
        for file in files(for: url) {
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Deletes all responses.
    @concurrent public func removeAll() async {
        for folder in [newer, older] {
            // If another task deletes a file at the same time, deleting the folder ends early.
            for _ in 0..<100 where ServiceFileItem(folder.path) != nil {
                Self.remove(folder)
            }
        }
    }

    /// Removes one of the folders with its files, unless it belongs to another user.
    ///
    /// It removes nothing behind a link, and nothing from a folder inside: other users may have put them there.
    private static func remove(_ folder: URL) {
        guard let item = ServiceFileItem(folder.path), item.isOwn else { return }
        guard let open = try? ServiceOpenFile(folder.path, O_RDONLY, kind: .folder) else {
            unlink(folder.path)
            return
        }
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names ?? [] {
            unlinkat(open.descriptor, name, 0)
        }
        rmdir(folder.path)
    }

    /// Writes into a file, which stays encrypted until the device is unlocked for the first time.
    private static func write(_ data: Data, to file: ServiceOpenFile) throws {
        #if os(macOS) || canImport(FoundationNetworking)
        // Not by its path, which may lead to another file by now.
        try file.write(data)
        #else
        try data.write(
            to: URL(fileURLWithPath: file.path),
            options: .completeFileProtectionUntilFirstUserAuthentication)
        #endif
    }

    /// Measures the newer files from time to time, because other processes write, too.
    private func makeRoom(forBytes count: Int) {
        let isDue = unmeasured.withLock { unmeasured in
            unmeasured += count
            guard unmeasured > maximumSize / 20 else { return false }
            unmeasured = count
            return true
        }
        // Two processes at the same time would delete each other's new files. Only this user can open the folder,
        // and lock it.
        guard isDue, let folder = try? ServiceOpenFile(newer.path, O_RDONLY, kind: .folder),
            let lock = try? ServiceFileLock(folder)
        else { return }
        defer { withExtendedLifetime(lock) {} }
        let names = try? FileManager.default.contentsOfDirectory(atPath: newer.path)
        let sizes = (names ?? []).map {
            Double(Self.size(of: newer.appendingPathComponent($0)) ?? 0)
        }
        // Another process may have replaced the folder before it was locked.
        guard sizes.reduce(0, +) > Double(maximumSize / 4), folder.item != nil else { return }
        Self.remove(older)
        if rename(newer.path, older.path) != 0 {
            // The older files belong to another user, for example.
            Self.remove(newer)
        }
    }

    /// The newer and the older file of a URL. Their name is its digest, because a URL may be too long. URLs with the
    /// same digest replace each other.
    private func files(for url: String) -> [URL] {
        [newer, older].map { $0.appendingPathComponent(url.digest) }
    }

    /// The size of a file; nil if the file is missing.
    private static func size(of file: URL) -> Int? {
        let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
        guard values?.isRegularFile == true else { return nil }
        return values?.fileSize
    }
}
