// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceMediaType {
    private static let binaryNames = ["octet-stream", "pdf", "zip", "gzip"].map {
        "application/" + $0
    }

    /// Whether a body of this type is a picture, a sound or other binary data, in which no one writes secrets.
    func isBinary(_ body: Data) -> Bool {
        let isMedia = ["image/", "audio/", "video/", "font/"].contains { name.hasPrefix($0) }
        if isMedia {
            return !name.hasSuffix("xml")
        }
        // Text may have one of these types.
        return Self.binaryNames.contains(name) && String(utf8: body) == nil
    }
}
