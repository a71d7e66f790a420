// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// A libcurl that was loaded at run time.
final class CurlLibrary: Sendable {
    /// Its functions. Safe to share, because they never change and are never freed.
    nonisolated(unsafe) let curl: UnsafePointer<ccurl>
    /// The `User-Agent` header field.
    let userAgent: String

    /// 7.80.0. Older versions lack the callback that keeps a request off a broken connection.
    private static let oldest: UInt32 = 0x075000
    /// 7.84.0. In older versions, `curl_global_init` isn't thread-safe.
    private static let threadSafe: UInt32 = 0x075400
    private static let lock = NSLock()
    /// Safe because it is used only under the lock.
    nonisolated(unsafe) private static var known: [String: CurlLibrary] = [:]

    /// Returns the library at a path. Each library is opened once and never closed.
    static func at(_ path: String) throws(CurlUnavailable) -> CurlLibrary {
        lock.lock()
        defer { lock.unlock() }
        if let library = known[path] {
            return library
        }
        let library = try CurlLibrary(path)
        known[path] = library
        return library
    }

    private init(_ path: String) throws(CurlUnavailable) {
        var curl = ccurl()
        if let missing = ccurl_open(path, &curl) {
            throw CurlUnavailable(reason: "'\(path)' can't be loaded: \(String(cString: missing))")
        }
        if curl.version < Self.threadSafe {
            // Foundation initializes the same library, once, for its first session.
            _ = URLSession(configuration: .ephemeral)
        }
        guard ccurl_start(&curl) == 0, let found = curl.version_info(0) else {
            throw CurlUnavailable(reason: "'\(path)' can't be initialized")
        }
        let text = String(cString: found.pointee.version)
        userAgent = "User-Agent: ServiceProvider curl/" + text
        guard curl.version >= Self.oldest else {
            throw CurlUnavailable(reason: "'\(path)' is version \(text), older than 7.80.0")
        }
        let copy = UnsafeMutablePointer<ccurl>.allocate(capacity: 1)
        copy.initialize(to: curl)
        self.curl = UnsafePointer(copy)
    }
}

/// ``CurlTransport`` found no libcurl that it can use.
public struct CurlUnavailable: LocalizedError, Equatable {
    /// Why libcurl can't be used.
    public let reason: String

    /// The reason as a sentence.
    public var errorDescription: String? { "libcurl can't be used: \(reason)." }
}
#endif
