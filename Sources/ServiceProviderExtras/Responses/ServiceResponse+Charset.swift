// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceResponse {
    /// The body as text, in the charset of its `Content-Type` (RFC 9110, section 8.3.2) or else UTF-8.
    ///
    /// A byte order mark is removed. Nil if the bytes aren't valid in the charset, or if the
    /// charset isn't one of UTF-8, US-ASCII, UTF-16 (BE, LE), ISO-8859-1 and -2, windows-1250 to
    /// -1254, and Shift_JIS.
    public var textInCharset: String? {
        let type = ServiceMediaType(header("Content-Type"))
        guard let encoding = type.encoding else { return nil }
        guard encoding != .utf8 else { return text }
        // Foundation on Linux ignores half a character at the end.
        let isWhole = type.charset?.hasPrefix("utf-16") != true || data.count.isMultiple(of: 2)
        guard isWhole, let text = String(data: data, encoding: encoding) else { return nil }
        guard text.unicodeScalars.first == "\u{FEFF}" else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    /// The status and the headers as Foundation's type. Nil if Foundation refuses them.
    public var http: HTTPURLResponse? {
        guard let url = request.urlRequest.url else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)
    }
}
