// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import Foundation
import FoundationNetworking
import ServiceProvider

extension CurlTransfer {
    /// The URL without its user, and the lines of the head.
    static func wire(
        _ url: URL, _ fields: [String: String], _ library: CurlLibrary
    ) throws -> (target: String, lines: [String]) {
        var (target, names) = (url.absoluteString, Set<String>())
        // libcurl sends an 8-byte body only when asked to go on, unless told not to ask.
        var lines = ["Expect:"]
        for (name, value) in fields {
            names.insert(name.lowercased())
            // libcurl writes what it is given, line breaks as well.
            let isText = (name + value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            guard isText else {
                throw URLError(.badURL, "A control character is in a header field.")
            }
            if name.lowercased() != "content-length" {
                lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
            }
        }
        if url.user != nil, var parts = URLComponents(string: target) {
            let login = Data("\(parts.user ?? ""):\(parts.password ?? "")".utf8)
                .base64EncodedString()
            if !names.contains("authorization") { lines.append("Authorization: Basic \(login)") }
            (parts.user, parts.password) = (nil, nil)
            target = parts.string ?? target
        }
        if !names.contains("user-agent") { lines.append("User-Agent: \(library.name)") }
        let isPlain = names.contains("accept-encoding") || names.contains("range")
        if !isPlain, !CurlDecoder.accepted.isEmpty {
            lines.append("Accept-Encoding: \(CurlDecoder.accepted)")
        }
        return (target, lines)
    }

    /// A handle that is set up: a new one for each attempt, so that nothing of one request is left for
    /// another.
    func prepare() -> UnsafeMutableRawPointer? {
        if let easy { return easy }
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let owner = Unmanaged.passUnretained(loop).toOpaque()
        easy = ccurl_easy(loop.library.curl, curlCallbacks, pointer, owner, message)
        guard easy != nil else { return nil }
        for line in lines {
            fields = loop.library.curl.pointee.slist_append(fields, line) ?? fields
        }
        _ = ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_HTTPHEADER), fields)
        configure()
        return easy
    }

    func release() {
        guard let easy = easy.take() else { return }
        loop.library.curl.pointee.easy_cleanup(easy)
        loop.library.curl.pointee.slist_free_all(fields.take())
    }

    func set(_ option: Int, _ value: Int) {
        _ = ccurl_set_long(loop.library.curl, easy, Int32(option), value)
    }

    func set(_ option: Int, _ text: String) {
        _ = text.withCString { ccurl_set_pointer(loop.library.curl, easy, Int32(option), $0) }
    }

    /// What is set for this request alone.
    private func configure() {
        let request = request.urlRequest
        let method = request.httpMethod ?? "GET"
        let hasBody = request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        set(CCURL_URL, target)
        if method == "HEAD" {
            set(CCURL_NOBODY, 1)
        } else if hasBody || ["POST", "PUT", "PATCH"].contains(method) {
            set(CCURL_UPLOAD, 1)
            _ = ccurl_set_size(loop.library.curl, easy, Int32(CCURL_INFILESIZE_LARGE), size)
        }
        if !["GET", "HEAD"].contains(method) { set(CCURL_CUSTOMREQUEST, method) }
        if isRefused { set(CCURL_FRESH_CONNECT, 1) }
        set(CCURL_HTTP_VERSION, allowsHTTP2 ? 4 : 2)
        if allowsHTTP2 { set(CCURL_PIPEWAIT, 1) }
        set(CCURL_CONNECTTIMEOUT_MS, Int(Self.nanoseconds(limits.connectionTimeout) / 1_000_000))
        set(CCURL_MAXAGE_CONN, Int(Self.nanoseconds(limits.idleTime) / 1_000_000_000))
        switch limits.proxy {
        case .environment: break
        case .none: set(CCURL_PROXY, "")
        case .url(let url): set(CCURL_PROXY, url)
        }
        if let file = limits.authorities { set(CCURL_CAINFO, file.path) }
        if !limits.pinnedPublicKeys.isEmpty {
            let keys = limits.pinnedPublicKeys.map { "sha256//\($0)" }.joined(separator: ";")
            set(CCURL_PINNEDPUBLICKEY, keys)
        }
        if let file = limits.unixSocket { set(CCURL_UNIX_SOCKET_PATH, file.path) }
    }
}

private func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
    pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func loop(_ pointer: UnsafeMutableRawPointer?) -> CurlLoop? {
    pointer.map { Unmanaged<CurlLoop>.fromOpaque($0).takeUnretainedValue() }
}

/// How libcurl calls back. It has each transfer, and the loop, for no longer than they are.
nonisolated(unsafe) let curlCallbacks: UnsafePointer<ccurl_callbacks> = {
    let callbacks = UnsafeMutablePointer<ccurl_callbacks>.allocate(capacity: 1)
    callbacks.initialize(to: allCallbacks)
    return UnsafePointer(callbacks)
}()

private let allCallbacks = ccurl_callbacks(
    header: { bytes, size, count, pointer in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer(pointer)?.read(header: line) == true ? size * count : 0
    },
    write: { bytes, size, count, pointer in
        transfer(pointer)?.read(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
            ?? 0
    },
    read: { bytes, size, count, pointer in
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        return transfer(pointer)?.write(into: buffer) ?? 0
    },
    seek: { pointer, offset, origin in
        offset == 0 && origin == SEEK_SET && transfer(pointer)?.rewind() == true ? 0 : 1
    },
    open: { pointer, _, address in
        guard let loop = loop(pointer), let address else { return -1 }
        return loop.open(address.pointee)
    },
    close: { pointer, socket in loop(pointer)?.close(socket) ?? 0 },
    request: { pointer, remote, local, remotePort, localPort in
        guard let transfer = transfer(pointer), let remote, let local else { return 1 }
        let key = CurlConnections.Key(
            remote: String(cString: remote), local: String(cString: local), remotePort: remotePort,
            localPort: localPort)
        return transfer.mayBeSent(over: key) ? 0 : 1
    })
#endif
