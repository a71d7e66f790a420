// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// libcurl's handle, with the options of a request.
extension CurlTransfer {
    /// Returns the header lines, and whether the caller has set `Accept-Encoding`.
    static func lines(
        _ method: String, _ fields: [String: String], isStream: Bool, _ library: CurlLibrary
    ) throws -> (lines: [String], asksForCoding: Bool) {
        guard !method.isEmpty, method.utf8.allSatisfy(CurlHead.isToken) else {
            throw URLError(.badURL, "The HTTP method isn't a valid name.")
        }
        var names: Set<String> = []
        var lines: [String] = []
        lines.reserveCapacity(fields.count + 2)
        for (name, value) in fields {
            let key = name.lowercased()
            names.insert(key)
            guard isValid(name, value), key != "transfer-encoding" else {
                let shown = String(name.unicodeScalars.prefix { $0 != ":" })
                throw URLError(.badURL, "The header '\(shown)' isn't valid or can't be set.")
            }
            // libcurl wouldn't send a field with only blanks as its value.
            let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            if key != "content-length" {
                lines.append(isBlank ? "\(name);" : "\(name): \(value)")
            }
        }
        if !names.contains("user-agent") { lines.append(library.userAgent) }
        let asksForCoding = names.contains("accept-encoding")
        if !asksForCoding, !names.contains("range") {
            lines.append(isStream ? CurlDecoder.none : CurlDecoder.accepted)
        }
        return (lines, asksForCoding)
    }

    /// libcurl doesn't check header fields: it would send line breaks in them too.
    private static func isValid(_ name: String, _ value: String) -> Bool {
        let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        return isText && !name.isEmpty && name.utf8.allSatisfy(CurlHead.isToken)
    }

    /// Creates a configured handle. Each request uses a new one, so that requests share no
    /// settings.
    func prepare() throws -> UnsafeMutableRawPointer {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        let owner = Unmanaged.passUnretained(loop.multi).toOpaque()
        let text = message ?? .allocate(capacity: 256)
        text.initialize(repeating: 0, count: 256)
        message = text
        var callbacks = curlCallbacks
        let handle = ccurl_easy(loop.library.curl, &callbacks, pointer, owner, text, upload.size)
        guard let handle else { throw Self.noMemory }
        easy = handle
        for line in lines { try append(line) }
        // Without this, libcurl sends "Expect: 100-continue" and waits, even for an 8-byte body.
        if sendsBody { try append("Expect:") }
        try check(ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_HTTPHEADER), fields))
        try setRequest()
        try setConnection()
        try setProxy()
        try setTLS()
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

    // MARK: - Options

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

    private func setRequest() throws {
        try set(CCURL_URL, url.absoluteString)
        try version.request(for: self)
        if method == "HEAD" {
            try set(CCURL_NOBODY, 1)
        } else if sendsBody || method != "GET" {
            try set(CCURL_CUSTOMREQUEST, method)
        }
        if sendsBody, method != "HEAD" {
            try set(CCURL_UPLOAD, 1)
        }
    }

    private func setConnection() throws {
        let connecting = Self.nanoseconds(loop.configuration.connectionTimeout) / 1_000_000
        try set(CCURL_CONNECTTIMEOUT_MS, Int(connecting))
        // At least 1, because 0 means no limit.
        let idle = max(Self.nanoseconds(loop.configuration.maximumIdleTime) / 1_000_000_000, 1)
        try set(CCURL_MAXAGE_CONN, Int(idle))
        if let file = loop.configuration.unixSocket {
            try set(CCURL_UNIX_SOCKET_PATH, file.path)
            // The connection can't be checked before reuse, because it has no port to find it by.
            try set(CCURL_FORBID_REUSE, 1)
        }
        if let address = loop.configuration.localAddress {
            try set(CCURL_INTERFACE, "host!\(address)")
        }
        if let overrides = loop.multi.addressOverrides {
            try check(
                ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_CONNECT_TO), overrides))
        }
    }

    private func setProxy() throws {
        let proxies = loop.multi.proxies
        let proxy = proxies.proxy(for: url)
        // A proxy finds the host's addresses itself, so none can be refused here.
        guard loop.configuration.allowsPrivateAddresses || proxy.isEmpty else {
            throw URLError(
                .resourceUnavailable,
                "Private addresses can't be refused behind a proxy: set 'proxy' to none.")
        }
        // Set always. Otherwise, libcurl would read the environment for each request.
        try set(CCURL_PROXY, proxy)
        try set(CCURL_NOPROXY, proxies.exceptions)
    }

    private func setTLS() throws {
        try set(CCURL_SSLVERSION, loop.configuration.minimumTLSVersion.rawValue)
        if let file = loop.configuration.certificateAuthorities {
            try set(CCURL_CAINFO, file.path)
            // Otherwise, libcurl also trusts those in a folder such as /etc/ssl/certs. This fails if the TLS
            // library has no such folder.
            _ = ccurl_set_pointer(loop.library.curl, easy, Int32(CCURL_CAPATH), nil)
        }
        if let keys = loop.configuration.pinnedPublicKeys {
            guard !keys.isEmpty || url.scheme?.lowercased() != "https" else {
                // libcurl would accept any key.
                throw URLError(
                    .serverCertificateUntrusted,
                    "No key is accepted: 'pinnedPublicKeys' is empty.")
            }
            try set(CCURL_PINNEDPUBLICKEY, keys.map { "sha256//\($0)" }.joined(separator: ";"))
        }
        if let certificate = loop.configuration.clientCertificate {
            try set(CCURL_SSLCERT, certificate.certificate.path)
            try set(CCURL_SSLKEY, certificate.privateKey.path)
            try set(CCURL_KEYPASSWD, certificate.password ?? "")
        }
    }
}
#endif
