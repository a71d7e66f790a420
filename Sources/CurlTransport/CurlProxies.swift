// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Decides which proxy a request uses.
///
/// The environment is read once, because reading it while another thread changes it can crash.
struct CurlProxies {
    /// The URLs of the proxies for http and https: empty for none.
    private let http: String
    private let https: String
    /// The hosts that need no proxy, in libcurl's form.
    let exceptions: String

    /// - Throws: ``CurlUnavailable`` if the URL of a proxy isn't valid. libcurl would send the requests without
    ///   a proxy, or print the password.
    init(_ setting: CurlTransport.Configuration.Proxy) throws(CurlUnavailable) {
        switch setting {
        case .none: (http, https, exceptions) = ("", "", "")
        case .url(let url):
            try Self.check(url, "the proxy")
            (http, https, exceptions) = (url, url, "")
        case .environment:
            let variables = ProcessInfo.processInfo.environment
            // Not HTTP_PROXY: a CGI program's client can set it, by the header field `Proxy`.
            http = try Self.first(["http_proxy", "all_proxy", "ALL_PROXY"], variables)
            https = try Self.first(
                ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], variables)
            // As for the others, an empty variable counts as missing.
            let lists = [variables["no_proxy"], variables["NO_PROXY"]]
            exceptions = lists.compactMap(\.self).first { !$0.isEmpty } ?? ""
        }
    }

    private static func first(
        _ names: [String], _ variables: [String: String]
    ) throws(CurlUnavailable) -> String {
        for name in names {
            if let url = variables[name], !url.isEmpty {
                try check(url, "the proxy in '\(name)'")
                return url
            }
        }
        return ""
    }

    /// The proxy for a URL: empty for none.
    func proxy(for url: URL) -> String {
        guard http != https else { return http }
        return url.scheme?.lowercased() == "https" ? https : http
    }

    // MARK: - The URL of a proxy

    private static func check(_ url: String, _ name: String) throws(CurlUnavailable) {
        guard let problem = problem(of: url) else { return }
        throw CurlUnavailable(reason: "\(name) has \(problem)")
    }

    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// The problem of a URL such as `http://user:password@host:3128`, if any. The scheme and the port may be missing.
    private static func problem(of url: String) -> String? {
        let hasControl = url.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
        guard !hasControl else { return "a blank or a control character in its URL" }
        var authority = url[...]
        if let range = url.range(of: "://") {
            let scheme = url[..<range.lowerBound].lowercased()
            guard schemes.contains(scheme) else { return "an unknown scheme" }
            authority = url[range.upperBound...]
        }
        if authority.hasSuffix("/") {
            authority.removeLast()
        }
        let isAlone = !authority.contains { "/?#\\".contains($0) }
        guard isAlone else { return "a '/', '?', '#' or '\\' in its URL that isn't escaped" }
        var address = authority
        if let at = authority.lastIndex(of: "@") {
            guard isValid(credentials: authority[..<at]) else {
                return "a user or a password that isn't escaped correctly"
            }
            address = authority[authority.index(after: at)...]
        }
        return isValid(address: address) ? nil : "no valid host and port in its URL"
    }

    /// Whether all escapes are complete, and none is a control character.
    private static func isValid(credentials: Substring) -> Bool {
        for part in credentials.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
        {
            let digits = part.utf8.prefix(2)
            let isNumber =
                digits.count == 2 && digits.allSatisfy { CurlChunks.hexadecimal($0) != nil }
            guard isNumber, let byte = UInt8(part.prefix(2), radix: 16) else { return false }
            guard byte >= 0x20, byte != 0x7F else { return false }
        }
        return true
    }

    private static func isValid(address: Substring) -> Bool {
        var host = address
        var port: Substring?
        if let end = address.lastIndex(of: "]") {
            host = address[...end]
            let rest = address[address.index(after: end)...]
            guard host.hasPrefix("["), rest.isEmpty || rest.hasPrefix(":") else { return false }
            port = rest.isEmpty ? nil : rest.dropFirst()
            host = host.dropFirst().dropLast()
        } else if let colon = address.lastIndex(of: ":") {
            host = address[..<colon]
            port = address[address.index(after: colon)...]
            guard !host.contains(":") else { return false }
        }
        let isName = !host.isEmpty && !host.contains { "[]@".contains($0) }
        guard isName else { return false }
        guard let port else { return true }
        let isNumber = port.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber && UInt16(port).map { $0 > 0 } == true
    }
}
#endif
