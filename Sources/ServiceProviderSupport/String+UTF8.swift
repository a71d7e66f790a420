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

    /// A short digest, for names of files and comparisons. Different texts may have the same one.
    package var digest: String {
        var text = self
        return text.withUTF8 { UnsafeRawBufferPointer($0).digest }
    }

    /// The number that 1 to 18 ASCII digits stand for. Nil for any other text, and for a number that is too large: an `Int`
    /// has 32 bits on some watches.
    package func number<Number: FixedWidthInteger>(as type: Number.Type = Int.self) -> Number? {
        let isNumber = utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber, utf8.count <= 18 else { return nil }
        return Number(self)
    }
}

nonisolated extension UnsafeRawBufferPointer {
    /// A short digest (FNV-1a). Differs if a single byte differs, and nearly always if more do.
    package var digest: String {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in self {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return String(digest, radix: 16)
    }
}

nonisolated extension StringProtocol {
    /// Whether two texts have the same bytes. `==` sorts combining marks first. For many of them in a row, that
    /// takes quadratic time.
    package func isIdentical(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
