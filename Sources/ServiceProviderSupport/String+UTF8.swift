// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension String {
    /// Decodes UTF-8 and keeps a byte order mark, which `String(data:encoding:)` removes on Linux. Nil for
    /// invalid bytes.
    package init?(utf8 bytes: Data) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
