// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceRequest {
    /// The longest timeout, in seconds: a week. (URLSession on Linux traps at infinity.)
    public static let maximumTimeout: TimeInterval = 604_800

    /// Checks everything that `URLRequest` doesn't. The provider calls it before each request is sent.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a method or a header name that isn't a
    ///   token, a header value with control characters, a GET or HEAD with a body, a URL without a
    ///   host or without the scheme http or https, and a timeout of 0 or less.
    public func validate() throws(ServiceError) {
        let isReachable = urlRequest.url.map { $0 == checkedURL || Self.isReachable($0) } == true
        try ServiceError.require(
            isReachable, .baseURL, "'\(redactedURL)' isn't a valid http(s) URL")
        try validateFields()
    }

    /// Checks everything but the URL.
    func validateFields() throws(ServiceError) {
        let (method, timeout) = (urlRequest.httpMethod ?? "GET", urlRequest.timeoutInterval)
        let hasBody = hasBody || urlRequest.httpBodyStream != nil
        let isAllowed = !hasBody || !["GET", "HEAD"].contains(method.uppercased())
        try ServiceError.require(Self.isToken(method), .method, "'\(method)' isn't a valid name")
        try ServiceError.require(isAllowed, .body, "a '\(method)' can't have a body")
        try ServiceError.require(timeout > 0, .timeout, "'\(timeout)' isn't above 0")
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            try Self.validate(header: name, value)
        }
    }

    /// Checks a header field (RFC 9110, section 5).
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a name that isn't a token, a value with
    ///   control characters, and fields that the transport sets.
    public static func validate(header name: String, _ value: String) throws(ServiceError) {
        let isFree = !["content-length", "transfer-encoding"].contains(name.lowercased())
        let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isToken(name) else {
            // Text after a colon may be secret, so it's left out.
            let parts = name.components(separatedBy: CharacterSet(charactersIn: ":"))
            let shown = parts[0] + (parts.count > 1 ? ":" : "")
            throw .invalidRequest(.header, reason: "'\(shown)' isn't a valid name")
        }
        try ServiceError.require(isFree, .header, "the transport sets '\(name)'")
        try ServiceError.require(isText, .header, "a control character in the value of '\(name)'")
    }

    /// Removes spaces and tabs at both ends. (URLSession on Linux doesn't send a field of spaces only.)
    static func trimmed(_ value: String) -> String {
        let isPadded = value.first?.isWhitespace == true || value.last?.isWhitespace == true
        return isPadded ? value.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) : value
    }

    /// Whether a string is an HTTP token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && ServicePercentEncoding.isUnchanged(text, keeping: "!#$%&'*+^`|")
    }

    /// Whether a URL has the scheme http or https, a host, and either no port or a port from 1 to
    /// 65,535.
    static func isReachable(_ url: URL) -> Bool {
        URLComponents(string: url.absoluteString).map(isReachable) == true
            && url.host?.isEmpty == false
    }

    static func isReachable(_ parts: URLComponents) -> Bool {
        let scheme = parts.scheme?.lowercased()
        guard scheme == "https" || scheme == "http", parts.rangeOfHost?.isEmpty == false else {
            return false
        }
        // URLComponents returns nil for a very large port.
        let hasPort = parts.rangeOfPort?.isEmpty == false
        return !hasPort || (1...65_535).contains(parts.port ?? 0)
    }

    /// The request with its body opened, ready for a transport. Not inlined, because a waiting call would keep
    /// its variables in memory.
    @inline(never) func checkedWithOpenBody() throws(ServiceError) -> ServiceRequest {
        try validate()
        do {
            guard let body = try upload?() else { return self }
            var request = self
            request.urlRequest.httpBodyStream = body.stream
            request.urlRequest.setValue("\(body.size)", forHTTPHeaderField: "Content-Length")
            return request
        } catch {
            throw ServiceError(error, of: .body)
        }
    }

    /// Closes the body's stream if the transport hasn't opened it, for example without a network. Its writer
    /// would wait for a reader for ever.
    func closeUnopenedBody() { urlRequest.httpBodyStream?.closeIfUnopened() }

    /// Returns the error of the body's stream if that has failed. Otherwise, removes the query from the
    /// URL of a `URLError`. (On Linux, the error sometimes has no URL.)
    func redactingURL(of error: any Error) -> any Error {
        // Foundation on Linux traps when `streamError` is read and there is none.
        if let stream = urlRequest.httpBodyStream, stream.streamStatus == .error,
            let cause = stream.streamError
        {
            return ServiceError(cause, of: .body)
        }
        guard let error = error as? URLError else { return error }
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL ?? urlRequest.url
        let shown = URL(string: Self.redactedURL(url?.absoluteString ?? ""))
        var info = [NSURLErrorFailingURLErrorKey: shown as Any]
        // The last two have the reason for a missing network, and the cause of a TLS error, without a URL.
        for key in [
            NSLocalizedDescriptionKey, "NSURLErrorNetworkUnavailableReasonKey",
            "_kCFStreamErrorCodeKey",
        ] {
            info[key] = error.userInfo[key]
        }
        // Without the user info of the cause, which may have the URL.
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError {
            info[NSUnderlyingErrorKey] = NSError(domain: cause.domain, code: cause.code)
        }
        return URLError(error.code, userInfo: info)
    }
}

nonisolated extension InputStream {
    /// Tells the writer of the stream that no one will read it. Closing the stream has no effect before it
    /// has been opened.
    func closeIfUnopened() {
        guard streamStatus == .notOpen else { return }
        open()
        close()
    }
}
