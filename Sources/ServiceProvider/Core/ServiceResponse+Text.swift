// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceResponse {
    /// The body as text in the charset of its `Content-Type` (RFC 9110, section 8.3.2), or in UTF-8.
    ///
    /// A byte order mark isn't part of the text. Nil if the bytes aren't valid in the charset, or if the
    /// charset isn't UTF-8, US-ASCII, UTF-16 (BE, LE), ISO-8859-1 or -2, windows-1250 to -1254, or
    /// Shift_JIS.
    public var text: String? {
        let type = ServiceMediaType(header("Content-Type"))
        // Foundation on Linux would drop half a character at the end.
        let isWhole = type.charset?.hasPrefix("utf-16") != true || data.count.isMultiple(of: 2)
        guard isWhole, let encoding = type.encoding,
            let text = String(data: data, encoding: encoding)
        else { return nil }
        return text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
    }
}
