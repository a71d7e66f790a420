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
        let name = ServicePercentDecoding.decode(name).lowercased().unicodeScalars
        let groups = name.split(separator: "[", omittingEmptySubsequences: false)
        let levels = name.split(omittingEmptySubsequences: false) {
            "[.".unicodeScalars.contains($0)
        }
        for part in [name[...]] + levels.dropLast() {
            let letters = String(Substring(part.filter(\.properties.isAlphabetic)))
            // By bytes: `hasSuffix` takes quadratic time for combining marks.
            let end = letters.utf8.reversed()
            if Self.secretEndings.contains(where: { end.starts(with: $0.utf8.reversed()) })
                || Data(letters.utf8).range(of: Data("password".utf8)) != nil
            {
                return true
            }
        }
        return Self.secretWords.union(secretNames).contains { own in
            let letters = own.lowercased().unicodeScalars.filter(\.properties.isAlphabetic)
            return !letters.isEmpty
                && (groups + levels).contains { Self.ends($0, withWord: letters) }
        }
    }

    private static let secretEndings = [
        "assertion", "auth", "authorization", "bearer", "cookie", "credential", "credentials",
        "csrf", "dpop", "hash", "jwt", "key", "otp", "passcode", "passphrase", "passwd", "pwd",
        "secret", "session", "sessionid", "sid", "sig", "signature", "token", "xsrf",
    ]
    private static let secretWords: Set = ["cvc", "cvv", "pass", "pin", "pw"]

    /// Whether the last letters of a name are these, with at most one `-`, `_` or `.` between two of
    /// them and no letter before them.
    private static func ends(
        _ name: Substring.UnicodeScalarView, withWord letters: String.UnicodeScalarView
    ) -> Bool {
        var rest = name
        while let last = rest.last, !last.properties.isAlphabetic { rest.removeLast() }
        for (index, letter) in letters.reversed().enumerated() {
            if index > 0, let last = rest.last, "-_.".unicodeScalars.contains(last) {
                rest.removeLast()
            }
            guard rest.popLast() == letter else { return false }
        }
        return rest.last?.properties.isAlphabetic != true
    }
}
