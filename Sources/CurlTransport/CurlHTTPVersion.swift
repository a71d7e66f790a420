// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// The versions of HTTP: which one a request asks for, and the name of each.
///
/// To add HTTP/3, change `newest(for:_:)`.
enum CurlHTTPVersion: Int {
    // libcurl's numbers.
    case http10 = 1
    case http11 = 2
    case http2 = 3
    case http3 = 30

    /// Returns the newest version for a URL. The server may choose an older one.
    static func newest(for url: URL, _ loop: CurlLoop) -> Self {
        // Before 8.4.0, libcurl could take a truncated HTTP/2 body for a complete one.
        let isAllowed =
            loop.configuration.allowsHTTP2 && loop.library.curl.pointee.version >= 0x080400
        guard isAllowed, url.scheme?.lowercased() == "https" else { return .http11 }
        return .http2
    }

    /// Makes libcurl use this version.
    func request(for transfer: CurlTransfer) throws {
        // A libcurl that was built without HTTP/2 refuses this, and uses HTTP/1.1.
        try? transfer.set(CCURL_HTTP_VERSION, rawValue)
        if isMultiplexed {
            // Wait for a connection that is being opened, and share it.
            try transfer.set(CCURL_PIPEWAIT, 1)
        }
    }

    /// Whether requests share a connection, on which the server may send frames at any time.
    var isMultiplexed: Bool { rawValue > Self.http11.rawValue }

    /// How its status lines start.
    var statusLine: StaticString {
        switch self {
        case .http10, .http11: "HTTP/1."
        case .http2: "HTTP/2 "
        case .http3: "HTTP/3 "
        }
    }

    /// The name in metrics, as in the negotiation of TLS (ALPN).
    var name: String {
        switch self {
        case .http10: "http/1.0"
        case .http11: "http/1.1"
        case .http2: "h2"
        case .http3: "h3"
        }
    }
}
#endif
