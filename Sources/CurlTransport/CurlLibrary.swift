// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import Foundation

/// A libcurl that was found at run time.
final class CurlLibrary: Sendable {
    /// Its functions. Safe because they stay as they are, for good.
    nonisolated(unsafe) let curl: UnsafePointer<ccurl>
    /// The header field that says what requests are sent by.
    let userAgent: String

    /// Before it, requests cannot be held back from a broken connection.
    private static let oldest: UInt32 = 0x075000
    private static let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private static var known: [String: CurlLibrary] = [:]

    /// Opens a library once; it stays open.
    static func at(_ path: String) throws(CurlUnavailable) -> CurlLibrary {
        lock.lock()
        defer { lock.unlock() }
        if let library = known[path] { return library }
        let library = try CurlLibrary(path)
        known[path] = library
        return library
    }

    private init(_ path: String) throws(CurlUnavailable) {
        var curl = ccurl()
        if let missing = ccurl_open(path, &curl) {
            throw CurlUnavailable(reason: "'\(path)' cannot be opened: \(String(cString: missing))")
        }
        guard ccurl_start(&curl) == 0, let found = curl.version_info(0) else {
            throw CurlUnavailable(reason: "'\(path)' cannot be initialised")
        }
        let text = String(cString: found.pointee.version)
        userAgent = "User-Agent: ServiceProvider curl/" + text
        guard curl.version >= Self.oldest else {
            throw CurlUnavailable(reason: "'\(path)' is libcurl \(text), older than 7.80.0")
        }
        let copy = UnsafeMutablePointer<ccurl>.allocate(capacity: 1)
        copy.initialize(to: curl)
        self.curl = UnsafePointer(copy)
    }
}

/// There is no libcurl that ``CurlTransport`` can use.
public struct CurlUnavailable: LocalizedError, Equatable {
    /// What is missing.
    public let reason: String

    /// A sentence for people.
    public var errorDescription: String? { "There is no usable libcurl: \(reason)." }
}
#endif
