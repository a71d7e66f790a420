// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Diagnostics and Recording need this.
nonisolated extension ServiceMediaType {
    /// Whether a body of this type is text in which secrets can be found: JSON, a form, or plain text,
    /// but not XML.
    var isReadable: Bool {
        name.hasPrefix("text/") && !name.contains("xml")
            || name.contains("json") || name.contains("urlencoded")
    }

    /// Whether a body of this type may be text in which secrets can't be found.
    var isXMLOrMultipart: Bool { name.hasSuffix("xml") || name.hasPrefix("multipart/") }

    /// Whether a body of this type is a picture, a sound or other binary data.
    var isBinary: Bool {
        ["image/", "audio/", "video/", "font/"].contains { name.hasPrefix($0) }
            && !name.hasSuffix("xml")
            || name.contains("octet-stream")
    }
}
