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
    /// The number of bytes, once the download has stopped. Nil while it runs, or if its process was killed.
    var size: Int64?

    /// Nil without a strong `ETag`.
    init?(etag: String, source: String, target: String) {
        // Foundation takes long to send a field with many combining marks.
        guard etag.utf8.first == UInt8(ascii: "\""), etag.utf8.count <= 8_192 else { return nil }
        // Otherwise each later download would fail.
        let isValid: Void? = try? ServiceRequest.validate(header: "If-Range", value: etag)
        guard isValid != nil else { return nil }
        self.etag = etag
        self.source = source
        self.target = target
    }

    /// Reads the notes from a file; nil if they're missing or incomplete.
    init?(in file: ServiceOpenFile) {
        // Larger files aren't from here.
        guard let data = try? file.read(atMost: 1 << 16) else { return nil }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The last line is empty, unless the process was killed while it wrote.
        guard lines.count == 5, lines[4].isEmpty else { return nil }
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        self.init(etag: texts[0], source: texts[1], target: texts[2])
        size = Int64(texts[3])
    }

    /// The content of the file.
    var encoded: Data {
        let size = size.map(String.init) ?? ""
        return Data("\(etag)\n\(source)\n\(target)\n\(size)\n".utf8)
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
    /// The last byte.
    let end: Int64
    /// The size of the whole file; nil if the server doesn't know it.
    let total: Int64?

    /// Nil if it isn't such a range.
    init?(_ field: String?) {
        guard let words = Self.words(field), words.count == 4 else { return nil }
        guard let start = Int64(words[1]), let end = Int64(words[2]) else { return nil }
        let total = Int64(words[3])
        guard total != nil || words[3] == "*" else { return nil }
        guard start <= end, end < total ?? .max else { return nil }
        self.start = start
        self.end = end
        self.total = total
    }

    /// The size of the file in a response without a range: `bytes */200`.
    static func total(_ field: String?) -> Int64? {
        guard let words = words(field), words.count == 3, words[1] == "*" else { return nil }
        return Int64(words[2])
    }

    private static func words(_ field: String?) -> [Substring]? {
        guard let field, field.utf8.count < 256 else { return nil }
        let words = field.lowercased().split { " -/".contains($0) }
        return words.first == "bytes" ? words : nil
    }
}
