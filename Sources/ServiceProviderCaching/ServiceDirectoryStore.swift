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
/// Several processes can use the same folder. Files appear complete or not at all. A damaged file,
/// or a file from another program, is treated as missing. No call fails because the folder is
/// missing, full or not writable. On iOS, the files can be read once the device has been unlocked
/// after a restart.
///
/// The responses that were written first are removed first, many at a time: new files go to the
/// folder `ServiceCache-new`. When that folder is large, it is renamed to `ServiceCache-old` and
/// replaces the previous one.
public nonisolated final class ServiceDirectoryStore: ServiceResponseStore {
    private let newer: URL
    private let older: URL
    private let maximumSize: Int
    /// How many bytes were written since the newer files were measured.
    private let unmeasured: ServiceLocked<Int>

    /// Makes a store. The folder is created when the first response is stored.
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
        // If the newer file is damaged, the older one is outdated.
        let found = files(for: url).first { Self.size(of: $0) != nil }
        guard let file = found, let size = Self.size(of: file), size <= maximumSize else {
            return nil
        }
        guard let data = try? Data(contentsOf: file) else { return nil }
        return try? JSONDecoder().decode([String: ServiceStoredResponse].self, from: data)[url]
    }

    /// Writes a response.
    @concurrent public func store(_ response: ServiceStoredResponse, for url: String) async {
        do {
            // With its URL, because two URLs may have the same hash.
            let data = try JSONEncoder().encode([url: response])
            guard data.count <= maximumSize / 10 else { throw CocoaError(.fileWriteOutOfSpace) }
            makeRoom(forBytes: data.count)
            // Other users of a server can't read it.
            try FileManager.default.createDirectory(
                at: newer, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try data.write(
                to: newer.appendingPathComponent(Self.name(for: url)), options: Self.options)
        } catch {
            await removeResponse(for: url)
        }
    }

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
            for _ in 0..<100 where FileManager.default.fileExists(atPath: folder.path) {
                try? FileManager.default.removeItem(at: folder)
            }
        }
    }

    private static var options: Data.WritingOptions {
        #if canImport(FoundationNetworking)
        .atomic
        #else
        [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
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
        guard isDue else { return }
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC
        let folder = open(newer.deletingLastPathComponent().path, flags)
        defer { close(folder) }
        // Two processes at the same time would delete each other's new files.
        guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0 else { return }
        // A child process that has just been started has the folder open, too, so closing it wouldn't unlock it.
        defer { flock(folder, LOCK_UN) }
        let names = try? FileManager.default.contentsOfDirectory(atPath: newer.path)
        let sizes = (names ?? []).map {
            Double(Self.size(of: newer.appendingPathComponent($0)) ?? 0)
        }
        guard sizes.reduce(0, +) > Double(maximumSize / 4) else { return }
        try? FileManager.default.removeItem(at: older)
        try? FileManager.default.moveItem(at: newer, to: older)
    }

    private func files(for url: String) -> [URL] {
        [newer, older].map { $0.appendingPathComponent(Self.name(for: url)) }
    }

    /// A hash of the URL (FNV-1a), because a URL may be too long for the name of a file. URLs with
    /// the same hash replace each other.
    private static func name(for url: String) -> String {
        let hash = url.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }

    /// The size of a file; nil if the file is missing.
    private static func size(of file: URL) -> Int? {
        let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
        guard values?.isRegularFile == true else { return nil }
        return values?.fileSize
    }
}
