// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An item in a file system: a file, a folder, a link or something else.
///
/// A link isn't followed.
package nonisolated struct ServiceFileItem: Sendable {
    /// `other` is a link, a FIFO or a device, for example.
    package enum Kind: Sendable { case file, folder, other }

    package let kind: Kind
    /// The number of the item in its file system.
    package let number: UInt64
    /// How many paths it has.
    package let links: Int
    /// The number of the user that it belongs to.
    package let owner: UInt32
    /// Whether other users have no permissions.
    package let isPrivate: Bool

    /// Whether it belongs to the user of this process.
    package var isOwn: Bool { owner == geteuid() }

    #if canImport(FoundationNetworking)
    /// Nil if nothing has this path.
    package init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let kinds: [mode_t: Kind] = [S_IFREG: .file, S_IFDIR: .folder]
        kind = kinds[status.st_mode & S_IFMT] ?? .other
        number = UInt64(status.st_ino)
        links = Int(status.st_nlink)
        owner = status.st_uid
        isPrivate = status.st_mode & 0o77 == 0
    }

    /// The number of an open file. Nil if it can't be read.
    package static func number(of descriptor: Int32) -> UInt64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
    }
    #else
    /// Nil if nothing has this path.
    package init?(_ path: String) {
        // Not `stat`, which an app has to declare in a privacy manifest.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, let number = attributes[.systemFileNumber] as? NSNumber else {
            return nil
        }
        let kinds: [FileAttributeType: Kind] = [.typeRegular: .file, .typeDirectory: .folder]
        kind = (attributes[.type] as? FileAttributeType).flatMap { kinds[$0] } ?? .other
        self.number = number.uint64Value
        links = (attributes[.referenceCount] as? NSNumber)?.intValue ?? 1
        owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value ?? geteuid()
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        isPrivate = permissions & 0o77 == 0
    }

    /// The number of an open file. Nil if it can't be read.
    package static func number(of descriptor: Int32) -> UInt64? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard fcntl(descriptor, F_GETPATH, &path) >= 0 else { return nil }
        let bytes = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return ServiceFileItem(String(decoding: bytes, as: UTF8.self))?.number
    }
    #endif
}
