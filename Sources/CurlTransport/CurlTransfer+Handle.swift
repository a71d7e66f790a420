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
        _ url: URL, _ method: String?, _ fields: [String: String], _ library: CurlLibrary
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
        if !names.contains("user-agent") { lines.append(library.userAgent) }
        let isPlain = names.contains("accept-encoding") || names.contains("range")
        if !isPlain { lines.append(CurlDecoder.accepted) }
        return (target, lines)
    }

    /// A handle that is set up: a new one for each attempt, so that nothing of one request is left for
    /// another.
    ///
    /// - Returns: Nil where there is no memory, or libcurl refuses an option.
    func prepare() -> UnsafeMutableRawPointer? {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let owner = Unmanaged.passUnretained(loop).toOpaque()
        let text = message ?? .allocate(capacity: 256)
        text.initialize(repeating: 0, count: 256)
        message = text
        easy = ccurl_easy(loop.library.curl, curlCallbacks, pointer, owner, text)
        guard easy != nil else { return nil }
        for line in lines {
            guard let longer = loop.library.curl.pointee.slist_append(fields, line) else {
                return nil
            }
            fields = longer
        }
        let isSet =
            ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_HTTPHEADER), fields) == 0
        return isSet && configure() ? easy : nil
    }

    func release() {
        if let easy = easy.take() { loop.library.curl.pointee.easy_cleanup(easy) }
        loop.library.curl.pointee.slist_free_all(fields.take())
    }

    /// - Returns: Whether libcurl has taken it.
    func set(_ option: Int, _ value: Int) -> Bool {
        ccurl_set_long(loop.library.curl, easy, Int32(option), value) == 0
    }

    private func set(_ option: Int, _ text: String) -> Bool {
        text.withCString { ccurl_set_pointer(loop.library.curl, easy, Int32(option), $0) } == 0
    }

    /// What is set for this request alone.
    ///
    /// - Returns: Whether libcurl has taken all of it. Without a proxy, a socket or a pinned key that was
    ///   asked for, the request would go elsewhere, or to anybody.
    private func configure() -> Bool {
        let (request, limits) = (request.urlRequest, loop.limits)
        let method = request.httpMethod ?? "GET"
        let hasBody = request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        let connecting = Self.nanoseconds(limits.connectionTimeout) / 1_000_000
        let idle = Self.nanoseconds(limits.idleTime) / 1_000_000_000
        var isSet =
            set(CCURL_URL, target) && set(CCURL_CONNECTTIMEOUT_MS, Int(connecting))
            && set(CCURL_MAXAGE_CONN, Int(idle))
        if method == "HEAD" {
            isSet = isSet && set(CCURL_NOBODY, 1)
        } else if hasBody || ["POST", "PUT", "PATCH"].contains(method) {
            let option = Int32(CCURL_INFILESIZE_LARGE)
            isSet =
                isSet && set(CCURL_UPLOAD, 1)
                && ccurl_set_size(loop.library.curl, easy, option, size) == 0
        }
        if !["GET", "HEAD"].contains(method) { isSet = isSet && set(CCURL_CUSTOMREQUEST, method) }
        if isRefused { isSet = isSet && set(CCURL_FRESH_CONNECT, 1) }
        // A libcurl may have been built without HTTP/2.
        let isMultiplexed = allowsHTTP2 && set(CCURL_HTTP_VERSION, 4) && set(CCURL_PIPEWAIT, 1)
        isSet = isSet && (isMultiplexed || set(CCURL_HTTP_VERSION, 2))
        if loop.mayUseProxy { isSet = isSet && set(CCURL_NOPROGRESS, 0) }
        switch limits.proxy {
        case .environment: break
        case .none: isSet = isSet && set(CCURL_PROXY, "")
        case .url(let url): isSet = isSet && set(CCURL_PROXY, url) && set(CCURL_NOPROXY, "")
        }
        if let file = limits.authorities { isSet = isSet && set(CCURL_CAINFO, file.path) }
        if !limits.pinnedPublicKeys.isEmpty {
            let keys = limits.pinnedPublicKeys.map { "sha256//\($0)" }.joined(separator: ";")
            isSet = isSet && set(CCURL_PINNEDPUBLICKEY, keys)
        }
        if let file = limits.unixSocket {
            // One of these has no port by which it could be looked at.
            isSet = isSet && set(CCURL_UNIX_SOCKET_PATH, file.path) && set(CCURL_FORBID_REUSE, 1)
        }
        return isSet
    }

    // MARK: - What libcurl asks

    /// Asked before a request is sent.
    ///
    /// Where a connection that was used before dies unanswered, libcurl sends any request again, several
    /// times. It may once, for a request that may be sent twice (RFC 9110, section 9.2.2) and whose body
    /// can be read again.
    func mayBeSent(over connection: CurlConnections.Key) -> Bool {
        activity = loop.now
        phase = size == 0 ? .waiting : .sending
        // Over HTTP/2 there may be anything, at any time; and a libcurl that may speak it is new enough to
        // look by itself.
        guard allowsHTTP2 || loop.isClean(connection) else { return false }
        timesSent += 1
        guard timesSent > 1 else { return true }
        let idempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
        let hasKey = request.urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        let mayRepeat =
            request.isRepeatable
            ?? (hasKey || idempotent.contains(request.urlRequest.httpMethod ?? "GET"))
        let isStream = request.urlRequest.httpBodyStream != nil
        guard timesSent == 2, mayRepeat, !isStream else {
            let text = "The connection was lost; the server may have processed the request."
            failure = URLError(.networkConnectionLost, text)
            return false
        }
        return true
    }

    /// Asked while a connection is made, where that may take long within one call of libcurl: it reads the
    /// body of a proxy's answer that is no tunnel to its end, and does nothing else meanwhile.
    ///
    /// - Returns: Whether to go on.
    func mayGoOn() -> Bool {
        guard phase == .connecting else { return true }
        let time = CurlLoop.time()
        guard time < min(activity + patience, loop.lastCall + 1_000_000_000, end) else {
            failure = URLError(.timedOut, "While connecting, the proxy's answer did not end.")
            return false
        }
        return true
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
    },
    progress: { pointer, _, _, _, _ in transfer(pointer)?.mayGoOn() == true ? 0 : 1 },
    watch: { _, socket, what, pointer, _ in
        loop(pointer)?.watch(socket, for: what)
        return 0
    },
    timer: { _, milliseconds, pointer in
        loop(pointer)?.setTimer(milliseconds)
        return 0
    })
#endif
