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
        _ url: URL, _ method: String?, _ fields: [String: String], isStream: Bool,
        _ library: CurlLibrary
    ) throws -> (target: String, lines: [String]) {
        guard method?.isEmpty != true, method?.utf8.allSatisfy(CurlHead.isToken) != false else {
            throw URLError(.badURL, "The method is no token.")
        }
        var (target, names) = (url.absoluteString, Set<String>())
        // libcurl sends an 8-byte body only when asked to go on, unless told not to ask.
        var lines = ["Expect:"]
        for (name, value) in fields {
            names.insert(name.lowercased())
            // libcurl writes what it is given, line breaks as well.
            let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            let isName = !name.isEmpty && name.utf8.allSatisfy(CurlHead.isToken)
            guard isText, isName, name.lowercased() != "transfer-encoding" else {
                throw URLError(.badURL, "A header field is none, or is the transport's to set.")
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
        if !names.contains("user-agent") { lines.append(library.userAgent) }
        let isPlain = names.contains("accept-encoding") || names.contains("range")
        if !isPlain { lines.append(isStream ? CurlDecoder.none : CurlDecoder.accepted) }
        return (target, lines)
    }

    /// A handle that is set up: a new one for each attempt, so that nothing of one request is left for
    /// another.
    func prepare() throws -> UnsafeMutableRawPointer {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let owner = Unmanaged.passUnretained(loop).toOpaque()
        let text = message ?? .allocate(capacity: 256)
        text.initialize(repeating: 0, count: 256)
        message = text
        let handle = ccurl_easy(loop.library.curl, curlCallbacks, pointer, owner, text)
        guard let handle else { throw Self.refusal }
        easy = handle
        for line in lines {
            let longer = loop.library.curl.pointee.slist_append(fields, line)
            guard let longer else { throw Self.refusal }
            fields = longer
        }
        try check(ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_HTTPHEADER), fields))
        try configure()
        return handle
    }

    func release() {
        if let easy = easy.take() { loop.library.curl.pointee.easy_cleanup(easy) }
        loop.library.curl.pointee.slist_free_all(fields.take())
    }

    private static let refusal = URLError(
        .unknown, "libcurl refuses an option of the transport or the request.")

    /// Without a proxy, a socket or a pinned key that was asked for, the request would go elsewhere, or to
    /// anybody.
    private func check(_ code: Int32) throws {
        guard code == 0 else { throw Self.refusal }
    }

    func set(_ option: Int, _ value: Int) throws {
        try check(ccurl_set_long(loop.library.curl, easy, Int32(option), value))
    }

    private func set(_ option: Int, _ text: String) throws {
        try text.withCString {
            try check(ccurl_set_pointer(loop.library.curl, easy, Int32(option), $0))
        }
    }

    /// What is set for this request alone.
    private func configure() throws {
        let (request, limits) = (request.urlRequest, loop.limits)
        let method = request.httpMethod ?? "GET"
        let hasBody = request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        try set(CCURL_URL, target)
        try set(
            CCURL_CONNECTTIMEOUT_MS,
            Int(Self.nanoseconds(limits.connectionTimeout) / 1_000_000))
        // 0 would be no limit.
        try set(CCURL_MAXAGE_CONN, Int(max(Self.nanoseconds(limits.idleTime) / 1_000_000_000, 1)))
        if method == "HEAD" {
            try set(CCURL_NOBODY, 1)
        } else {
            if hasBody || ["POST", "PUT", "PATCH"].contains(method) {
                try set(CCURL_UPLOAD, 1)
                let option = Int32(CCURL_INFILESIZE_LARGE)
                try check(ccurl_set_size(loop.library.curl, easy, option, size))
            }
            try set(CCURL_CUSTOMREQUEST, method)
        }
        if isRefused { try set(CCURL_FRESH_CONNECT, 1) }
        do {
            try set(CCURL_HTTP_VERSION, allowsHTTP2 ? 4 : 2)
            if allowsHTTP2 { try set(CCURL_PIPEWAIT, 1) }
        } catch {
            // A libcurl may have been built without HTTP/2.
            try set(CCURL_HTTP_VERSION, 2)
        }
        switch limits.proxy {
        case .environment: break
        case .none: try set(CCURL_PROXY, "")
        case .url(let url):
            try set(CCURL_PROXY, url)
            try set(CCURL_NOPROXY, "")
        }
        if let file = limits.authorities { try set(CCURL_CAINFO, file.path) }
        if !limits.pinnedPublicKeys.isEmpty {
            let keys = limits.pinnedPublicKeys.map { "sha256//\($0)" }.joined(separator: ";")
            try set(CCURL_PINNEDPUBLICKEY, keys)
        }
        if let file = limits.unixSocket {
            try set(CCURL_UNIX_SOCKET_PATH, file.path)
            // It has no port by which it could be looked at before it is used again.
            try set(CCURL_FORBID_REUSE, 1)
        }
    }

    // MARK: - What libcurl asks

    /// Asked before a request is sent.
    ///
    /// Where a connection that was used before dies unanswered, libcurl sends any request again, several
    /// times. It may once, for a request that may be sent twice (RFC 9110, section 9.2.2) and whose body
    /// can be read again.
    func mayBeSent(over connection: CurlConnections.Key) -> Bool {
        activity = loop.now
        // Of a proxy, which has given a tunnel.
        if head.isDone { head = CurlHead(allowsHTTP2: allowsHTTP2) }
        phase = size == 0 ? .waiting : .sending
        guard timesSent == 0 || timesSent == 1 && mayBeRepeated else {
            failure = Self.lost
            return false
        }
        // Over HTTP/2 there may be anything, at any time; and a libcurl that may speak it is new enough to
        // look by itself.
        guard allowsHTTP2 || loop.admits(connection, isAgain: timesSent > 0) else { return false }
        timesSent += 1
        return true
    }

    /// Whether it may be sent twice.
    var mayBeRepeated: Bool {
        request.isRepeatable()
    }

    /// Sent, and the connection has died.
    static var lost: URLError {
        let text = "The connection was lost; the server may have processed the request."
        return URLError(.networkConnectionLost, text)
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
        guard let transfer = transfer(pointer), let address else { return -1 }
        // Also for a second time, where the first connection has died.
        transfer.phase = .connecting
        return transfer.loop.open(address.pointee)
    },
    close: { pointer, socket in loop(pointer)?.close(socket) ?? 0 },
    request: { pointer, remote, local, remotePort, localPort in
        guard let transfer = transfer(pointer), let remote, let local else { return 1 }
        let key = CurlConnections.Key(
            remote: String(cString: remote), local: String(cString: local), remotePort: remotePort,
            localPort: localPort)
        return transfer.mayBeSent(over: key) ? 0 : 1
    },
    watch: { _, socket, what, pointer, _ in
        loop(pointer)?.watch(socket, for: what)
        return 0
    },
    timer: { _, milliseconds, pointer in
        loop(pointer)?.setTimer(milliseconds)
        return 0
    })
#endif
