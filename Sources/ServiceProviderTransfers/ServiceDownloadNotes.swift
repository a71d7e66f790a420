// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The source of the bytes of a partial file. Kept beside the file.
nonisolated struct ServiceDownloadNotes {
    /// A strong `ETag`.
    let etag: String
    /// The digest of the requested URL.
    let source: String
    /// The digest of the URL after redirects.
    let target: String

    /// Nil without a strong `ETag`.
    init?(etag: String, source: String, target: String) {
        // Foundation takes long to send a field with many combining marks.
        guard etag.utf8.first == UInt8(ascii: "\""), etag.utf8.count <= 8_192 else { return nil }
        self.etag = etag
        self.source = source
        self.target = target
    }

    /// Reads the notes from a file; nil if they're missing or incomplete.
    init?(at url: URL) {
        // Larger files aren't from here.
        guard let file = try? FileHandle(forReadingFrom: url),
            let data = try? file.read(upToCount: 1 << 16)
        else { return nil }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 3 else { return nil }
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        self.init(etag: texts[0], source: texts[1], target: texts[2])
    }

    func write(to url: URL) throws {
        try Data("\(etag)\n\(source)\n\(target)".utf8).write(to: url, options: .atomic)
    }

    /// Whether the bytes are of the same version of the same file. After a redirect, another file may have the
    /// same `ETag`.
    func isSame(as other: ServiceDownloadNotes) -> Bool {
        etag.isIdentical(to: other.etag) && target.isIdentical(to: other.target)
    }
}

/// The range of a part of a file: `bytes 100-199/200` (RFC 9110, section 14.4).
nonisolated struct ServiceContentRange {
    /// The first byte.
    let start: Int64
    /// The size of the whole file.
    let total: Int64

    /// Nil if it isn't such a range, or its total isn't known.
    init?(_ field: String?) {
        guard let field, field.utf8.count < 256 else { return nil }
        let words = field.lowercased().split { " -/".contains($0) }
        guard words.count == 4, words[0] == "bytes" else { return nil }
        guard let start = Int64(words[1]), let total = Int64(words[3]) else { return nil }
        self.start = start
        self.total = total
    }
}
