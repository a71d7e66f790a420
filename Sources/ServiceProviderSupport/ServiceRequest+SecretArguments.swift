// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Whether a text has an argument of GraphQL with a secret name, such as `login(password: "123")`, or a member of JSON.
    ///
    /// A variable isn't secret, as in `login(password: $password)`, and neither is a type. Takes linear time.
    func hasSecretArgument(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            let name = Self.lastName(in: rest[..<colon])
            rest = rest[(colon + 1)...]
            if Self.startsWithValue(rest), !name.isEmpty, isSecret(name) {
                return true
            }
        }
        return false
    }

    /// Whether a text, a number, a list or an object is next. (Blanks in a query may be a "+". GraphQL ignores commas.)
    private static func startsWithValue(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first(where: { !" \t\r\n+,".utf8.contains($0) }) else {
            return false
        }
        return "\"'\\-[{0123456789".utf8.contains(first)
    }

    /// The name at the end of a text, which may be in quotes. Empty for the host in `http://auth:80`.
    private static func lastName(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = text.lastIndex { !" \t\r\n+\"'\\".utf8.contains($0) }
        guard let end else { return [] }
        let part = text[...end]
        guard let start = part.lastIndex(where: { !isPartOfName($0) }) else { return part }
        return part[start] == UInt8(ascii: "/") ? [] : part[(start + 1)...]
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: "_-.".utf8.contains(byte)
        }
    }
}
