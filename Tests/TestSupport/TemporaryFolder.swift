// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A folder that's deleted with its owner.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("ServiceProviderTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file and returns its URL.
    @discardableResult
    public func write(_ data: Data = Data("content".utf8), to name: String) throws -> URL {
        try data.write(to: file(name))
        return file(name)
    }

    @discardableResult
    public func write(_ text: String, to name: String) throws -> URL {
        try write(Data(text.utf8), to: name)
    }

    public func text(of name: String) -> String? {
        try? String(contentsOf: file(name), encoding: .utf8)
    }

    /// The names of all files, including hidden ones.
    public var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
    }
}

/// Returns random bytes, always the same for the same count.
public func noise(_ count: Int) -> Data {
    var random = SeededGenerator(state: UInt64(count))
    var bytes = Data(capacity: count + 8)
    while bytes.count < count {
        withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
    }
    return bytes.prefix(count)
}
