// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    private enum SecretNames: ServiceRequestOption {
        static var defaultValue: Set<String> { [] }
    }

    /// Names of header fields, parameters and JSON members that are secret, in addition to well-known
    /// ones. Default: none. See ``isSecret(_:)``.
    public var secretNames: Set<String> {
        get { self[SecretNames.self] }
        set { self[SecretNames.self] = newValue }
    }

    /// Whether a header, query item, form field or JSON member with this name holds a secret.
    ///
    /// A name is secret if it contains `password`, if it ends like a well-known one (`X-Api-Key` and
    /// `apiKey` end in `key`), or if its last words are `pin`, `cvv` and the like, or one of
    /// ``secretNames`` (`X-Pin` and `user[pin]` end in the word `pin`, `spin` doesn't). Everything inside
    /// a secret is secret too: `token[value]` and `token.value`.
    ///
    /// So is a name of more than 256 bytes. Others, such as `code` in OAuth, aren't known to be secret: add them to
    /// ``secretNames``.
    public func isSecret(_ name: String) -> Bool { isSecret(Array(name.utf8)[...]) }

    package func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= 256 else { return true }
        // Bytes, because comparing strings takes quadratic time for combining marks.
        var letters: [UInt8] = []
        // Where words start in `letters`.
        var starts: [Bool] = []
        var isAfterGap = true
        for byte in Self.lowercased(ServicePercentDecoding.decode(name)) {
            let isLetter = Self.isLetter(byte)
            if isLetter {
                letters.append(byte)
                starts.append(isAfterGap)
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: ".") {
                // The name of what is around the rest.
                guard !endsWithSecret(letters, starts) else { return true }
            }
            isAfterGap = !isLetter
            if byte == UInt8(ascii: "d"), Self.ends(letters, with: Self.password) {
                return true
            }
        }
        return endsWithSecret(letters, starts)
    }

    private func endsWithSecret(_ letters: [UInt8], _ starts: [Bool]) -> Bool {
        for ending in Self.secretEndings where Self.ends(letters, with: ending) {
            return true
        }
        for word in Self.secretWords where Self.ends(letters, with: word) {
            guard !starts[letters.count - word.count] else { return true }
        }
        for name in secretNames {
            let word = Self.lowercased(Array(name.utf8)).filter(Self.isLetter)
            let isEnd = !word.isEmpty && Self.ends(letters, with: word)
            guard !isEnd || !starts[letters.count - word.count] else { return true }
        }
        return false
    }

    /// Whether a list of bytes ends with another one. (`suffix` and `elementsEqual` take ten times as long in a build
    /// for debugging.)
    private static func ends(_ letters: [UInt8], with word: [UInt8]) -> Bool {
        let start = letters.count - word.count
        guard start >= 0, letters.last == word.last else { return false }
        for index in word.indices {
            guard letters[start + index] == word[index] else { return false }
        }
        return true
    }

    private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            return Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
        }
        return bytes.map { byte in
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            return isCapital ? byte | 0x20 : byte
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte >= 0x80
    }

    private static let secretEndings = [
        "assertion", "auth", "authorization", "bearer", "cookie", "credential", "credentials",
        "csrf", "dpop", "hash", "jwt", "key", "otp", "passcode", "passphrase", "passwd", "pwd",
        "secret", "session", "sessionid", "sid", "sig", "signature", "token", "xsrf",
    ].map { Array($0.utf8) }
    private static let secretWords = ["cvc", "cvv", "pass", "pin", "pw"].map { Array($0.utf8) }
    private static let password = Array("password".utf8)
}
