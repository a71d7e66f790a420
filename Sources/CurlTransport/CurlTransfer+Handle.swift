// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

extension CurlTransfer {
    /// Returns the URL without its user and password, and the header lines.
    static func wire(
        _ url: URL, _ method: String, _ fields: [String: String], isStream: Bool,
        _ library: CurlLibrary
    ) throws -> (target: String, lines: [String]) {
        guard !method.isEmpty, method.utf8.allSatisfy(CurlHead.isToken) else {
            throw URLError(.badURL, "The HTTP method isn't a valid name.")
        }
        var (target, names, lines) = (url.absoluteString, Set<String>(), [String]())
        lines.reserveCapacity(fields.count + 3)
        for (name, value) in fields {
            let key = name.lowercased()
            names.insert(key)
            // libcurl doesn't check header fields: it would send line breaks in them too.
            let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            let isName = !name.isEmpty && name.utf8.allSatisfy(CurlHead.isToken)
            guard isText, isName, key != "transfer-encoding" else {
                let shown = String(name.unicodeScalars.prefix { $0 != ":" })
                throw URLError(.badURL, "The header '\(shown)' isn't valid or can't be set.")
            }
            if key != "content-length" {
                // libcurl wouldn't send a field whose value has only blanks.
                let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
                lines.append(isBlank ? "\(name);" : "\(name): \(value)")
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

    /// Creates a configured handle. Each request uses a new one, so that requests share no
    /// settings.
    func prepare() throws -> UnsafeMutableRawPointer {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let owner = Unmanaged.passUnretained(loop.multi).toOpaque()
        let text = message ?? .allocate(capacity: 256)
        text.initialize(repeating: 0, count: 256)
        message = text
        let handle = ccurl_easy(loop.library.curl, curlCallbacks, pointer, owner, text)
        guard let handle else { throw Self.noMemory }
        easy = handle
        for line in lines { try append(line) }
        // Without this, libcurl sends "Expect: 100-continue" and waits, even for an 8-byte body.
        if sendsBody { try append("Expect:") }
        try check(ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_HTTPHEADER), fields))
        try configure()
        return handle
    }

    private func append(_ line: String) throws {
        // After the last node, because libcurl looks for the end of the list that it gets.
        let node = ccurl_slist_append(loop.library.curl, lastField, line)
        guard let node else { throw Self.noMemory }
        fields = fields ?? node
        lastField = node
    }

    /// Frees the handle. Call this in a turn of the loop.
    func release() {
        guard let easy = easy.take() else { return }
        loop.library.curl.pointee.easy_cleanup(easy)
        loop.library.curl.pointee.slist_free_all(fields.take())
        lastField = nil
    }

    private static let noMemory = URLError(.unknown, "libcurl has no memory left.")

    /// Throws if libcurl refused an option. Without its proxy, Unix socket or pinned key, the
    /// request could reach the wrong server.
    private func check(_ code: Int32) throws {
        guard code == 0 else { throw URLError(.unknown, "libcurl refused an option (\(code)).") }
    }

    func set(_ option: Int, _ value: Int) throws {
        try check(ccurl_set_long(loop.library.curl, easy, Int32(option), value))
    }

    private func set(_ option: Int, _ text: String) throws {
        try text.withCString {
            try check(ccurl_set_pointer(loop.library.curl, easy, Int32(option), $0))
        }
    }

    /// Sets the options that depend on the request and the transport's configuration.
    private func configure() throws {
        try set(CCURL_URL, target)
        try set(
            CCURL_CONNECTTIMEOUT_MS,
            Int(Self.nanoseconds(loop.limits.connectionTimeout) / 1_000_000))
        // At least 1, because 0 means no limit.
        try set(
            CCURL_MAXAGE_CONN,
            Int(max(Self.nanoseconds(loop.limits.maximumIdleTime) / 1_000_000_000, 1))
        )
        if method == "HEAD" {
            try set(CCURL_NOBODY, 1)
        } else {
            if sendsBody {
                try set(CCURL_UPLOAD, 1)
                let option = Int32(CCURL_INFILESIZE_LARGE)
                try check(ccurl_set_size(loop.library.curl, easy, option, size))
            }
            if sendsBody || method != "GET" { try set(CCURL_CUSTOMREQUEST, method) }
        }
        do {
            try set(CCURL_HTTP_VERSION, allowsHTTP2 ? 4 : 2)
            if allowsHTTP2 { try set(CCURL_PIPEWAIT, 1) }
        } catch {
            // A libcurl may have been built without HTTP/2.
            try set(CCURL_HTTP_VERSION, 2)
        }
        if !loop.limits.allowsPrivateAddresses { try requireNoProxy() }
        switch loop.limits.proxy {
        case .environment: if !loop.multi.hasProxy { try set(CCURL_PROXY, "") }
        case .none: try set(CCURL_PROXY, "")
        case .url(let url):
            try set(CCURL_PROXY, url)
            try set(CCURL_NOPROXY, "")
        }
        if let file = loop.limits.certificateAuthorities {
            try set(CCURL_CAINFO, file.path)
            // Otherwise, libcurl also trusts those in a folder such as /etc/ssl/certs. This fails if the TLS
            // library has no such folder.
            _ = ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_CAPATH), nil)
        }
        if !loop.limits.pinnedPublicKeys.isEmpty {
            let keys = loop.limits.pinnedPublicKeys.map { "sha256//\($0)" }.joined(separator: ";")
            try set(CCURL_PINNEDPUBLICKEY, keys)
        }
        if let certificate = loop.limits.clientCertificate {
            try set(CCURL_SSLCERT, certificate.certificate.path)
            try set(CCURL_SSLKEY, certificate.privateKey.path)
            if let password = certificate.password { try set(CCURL_KEYPASSWD, password) }
        }
        if let credential {
            // Without CURLAUTH_ONLY, libcurl first sends the request without its body. A stream needs that,
            // because it can't be sent twice.
            try set(CCURL_HTTPAUTH, CCURL_AUTH_DIGEST | (isStreamed ? 0 : 1 << 31))
            try set(CCURL_USERNAME, credential.user ?? "")
            try set(CCURL_PASSWORD, credential.password ?? "")
        }
        if let file = loop.limits.unixSocket {
            try set(CCURL_UNIX_SOCKET_PATH, file.path)
            // The connection can't be checked before reuse, because it has no port to find it by.
            try set(CCURL_FORBID_REUSE, 1)
        }
    }

    /// Whether the configuration allows this address of the host. A host may have several.
    func mayConnect(to address: UnsafePointer<ccurl_address>) -> Bool {
        if loop.limits.allowsPrivateAddresses { return true }
        let address = CurlAddress(address)
        refusedAddress = address.isPublic ? nil : address
        return address.isPublic
    }

    /// A proxy finds the host's addresses itself, so none can be refused here.
    private func requireNoProxy() throws {
        let hasProxy =
            switch loop.limits.proxy {
            case .environment: loop.multi.hasProxy
            case .none: false
            case .url: true
            }
        if hasProxy {
            throw URLError(
                .resourceUnavailable,
                "Private addresses can't be refused behind a proxy: set 'proxy' to none.")
        }
    }

    // MARK: - Permission to send

    /// Returns whether libcurl may send the request over a connection. Called before each attempt.
    ///
    /// If a reused connection dies without a response, libcurl sends any request again, several
    /// times. This allows one repetition, and only for a request that is safe to repeat (RFC 9110,
    /// section 9.2.2) and whose body can be read again.
    func mayBeSent(over connection: CurlConnections.Key) -> Bool {
        activity = loop.multi.now
        if isChallenged {
            (isChallenged, timesSent, challenges) = (false, 0, challenges + 1)
            // The second challenge may be for a nonce that has expired.
            guard challenges <= 2 else {
                failure = URLError(
                    .userAuthenticationRequired, "The server asked for a Digest three times.")
                return false
            }
        }
        // These were the headers of the proxy that opened the tunnel.
        if head.isDone { head = CurlHead(allowsHTTP2: allowsHTTP2) }
        phase = size == 0 ? .waiting : .sending
        guard timesSent == 0 || timesSent == 1 && mayBeRepeated else {
            failure = Self.lost
            return false
        }
        // Over HTTP/2, a server may send frames at any time. A libcurl that is new enough for
        // HTTP/2 here checks its connections itself.
        guard allowsHTTP2 || loop.multi.admits(connection, isAgain: timesSent > 0) else {
            return false
        }
        timesSent += 1
        return true
    }

    /// Whether the request may be sent twice.
    var mayBeRepeated: Bool {
        if request.urlRequest.httpBodyStream != nil { return false }
        let method = request.urlRequest.httpMethod ?? "GET"
        let hasKey = request.urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        return request.isRepeatable ?? (hasKey || Self.idempotent.contains(method))
    }

    /// The methods that can be sent twice with the same effect (RFC 9110, section 9.2.2).
    private static let idempotent: Set = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    /// The error for a request that was sent before its connection was lost.
    static var lost: URLError {
        let text = "The connection was lost; the server may have processed the request."
        return URLError(.networkConnectionLost, text)
    }
}

private func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
    pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func multi(_ pointer: UnsafeMutableRawPointer?) -> CurlMulti? {
    pointer.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
}

/// The functions that libcurl calls. libcurl holds unretained pointers to transfers and CurlMulti,
/// which outlive libcurl's handles.
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
    // libcurl only seeks to the start, to send the body again.
    seek: { pointer, _, _ in transfer(pointer)?.rewind() == true ? 0 : 1 },
    open: { pointer, _, address in
        guard let transfer = transfer(pointer), let address else { return -1 }
        // Set again when libcurl reconnects after the first connection has died.
        transfer.phase = .connecting
        // After a challenge, a proxy may respond to a second CONNECT.
        if transfer.isChallenged { transfer.head = CurlHead(allowsHTTP2: transfer.allowsHTTP2) }
        return transfer.mayConnect(to: address) ? transfer.loop.multi.open(address.pointee) : -1
    },
    close: { pointer, socket in multi(pointer)?.close(socket) ?? 0 },
    request: { pointer, remote, local, remotePort, localPort in
        guard let transfer = transfer(pointer), let remote, let local else {
            return Int32(CCURL_PREREQ_ABORT)
        }
        let key = CurlConnections.Key(
            remote: String(cString: remote), local: String(cString: local), remotePort: remotePort,
            localPort: localPort)
        return transfer.mayBeSent(over: key) ? 0 : Int32(CCURL_PREREQ_ABORT)
    },
    watch: { easy, socket, what, pointer, _ in
        multi(pointer)?.watch(socket, for: what, easy)
        return 0
    },
    timer: { _, milliseconds, pointer in
        multi(pointer)?.setTimer(milliseconds)
        return 0
    },
    debug: { _, kind, _, count, pointer in
        if Int(kind) == CCURL_DEBUG_DATA_IN { transfer(pointer)?.didReadChunks(count) }
        return 0
    })
#endif
