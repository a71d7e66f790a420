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
    /// Others, such as `code` in OAuth, aren't known to be secret: add them to ``secretNames``.
    public func isSecret(_ name: String) -> Bool {
        let ownWords = secretNames.map { $0.lowercased().utf8.filter(Self.isLetter) }
        let words = Self.secretWords + ownWords.filter { !$0.isEmpty }
        // Bytes, because comparing strings takes quadratic time for combining marks.
        var letters: [UInt8] = []
        var isStart: [Bool] = []
        var isAfterGap = true
        func isSecretSoFar() -> Bool {
            Self.secretEndings.contains { letters.suffix($0.count).elementsEqual($0) }
                || words.contains { word in
                    letters.suffix(word.count).elementsEqual(word)
                        && isStart[letters.count - word.count]
                }
        }
        for byte in ServicePercentDecoding.decode(name).lowercased().utf8 {
            let isOuterName = byte == UInt8(ascii: "[") || byte == UInt8(ascii: ".")
            if isOuterName, isSecretSoFar() {
                return true
            }
            if Self.isLetter(byte) {
                letters.append(byte)
                isStart.append(isAfterGap)
            }
            isAfterGap = !Self.isLetter(byte)
            if byte == UInt8(ascii: "d"), letters.suffix(8).elementsEqual("password".utf8) {
                return true
            }
        }
        return isSecretSoFar()
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
}
