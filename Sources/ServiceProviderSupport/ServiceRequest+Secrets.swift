// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Whether a header, query item, form field or JSON member with this name holds a secret.
    ///
    /// A name is secret if it contains `password`, if it ends like a well-known one or its plural (`X-Api-Key`, `apiKey`
    /// and `keys` end in `key`; but `total_tokens` is a number), if its last word is `pin`, `cvv`, `ticket` and the like
    /// (`X-Pin` and `user[pin]` end in the word `pin`, `spin` doesn't), or if it has the words of one of `secretNames`.
    /// Everything inside a secret is secret too: `token[value]` and `token.value`.
    ///
    /// So is a name of more than 256 bytes. Others, such as `code` in OAuth, aren't known to be secret: add them to
    /// `secretNames`.
    public func isSecret(_ name: String) -> Bool { isSecret(Array(name.utf8)[...]) }

    func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        // Comparing long texts takes quadratic time for combining marks.
        guard name.count <= 256 else { return true }
        let plain = ServicePercentDecoding.decode(name)
        let lowercased = Array(String(decoding: plain, as: UTF8.self).lowercased().utf8)
        // Everything inside a secret is secret, too.
        let parts = lowercased.split { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ".") }
        let isKnown = parts.contains { Self.isSecret(Self.words(of: $0)) }
        return isKnown || hasSecretName(Self.words(of: lowercased[...]))
    }

    private static func isSecret(_ words: [String]) -> Bool {
        guard let last = words.last else { return false }
        let name = words.joined()
        // Such as `total_tokens`.
        let isCount = name.hasSuffix("tokens") && name != "tokens"
        let singular = name.hasSuffix("s") && !isCount ? String(name.dropLast()) : name
        let hasSecretEnding = secretEndings.contains { ending in
            name.hasSuffix(ending) || singular.hasSuffix(ending)
        }
        return hasSecretEnding || name.contains("password") || secretWords.contains(last)
    }

    private func hasSecretName(_ words: [String]) -> Bool {
        guard !secretNames.isEmpty else { return false }
        let names = secretNames.map { Self.words(of: Array($0.lowercased().utf8)[...]).joined() }
        let longest = names.map(\.utf8.count).max() ?? 0
        for start in words.indices {
            var run = ""
            for word in words[start...] {
                guard run.utf8.count < longest else { break }
                run += word
                if names.contains(run) {
                    return true
                }
            }
        }
        return false
    }

    private static func words(of name: ArraySlice<UInt8>) -> [String] {
        name.split { !isLetter($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte >= 0x80
    }

    private static let secretEndings = [
        "accesskeyid", "accesstokens", "apitokens", "assertion", "auth", "authorization",
        "authtokens", "bearer", "cookie", "credential", "csrf", "devicecode", "dpop", "hash",
        "hashes", "idtokens", "jwt", "key", "otp", "otpcode", "passcode", "passphrase", "passwd",
        "pwd", "refreshtokens", "samlresponse", "secret", "securitycode", "session", "sessionid",
        "sid", "sig", "signature", "token", "tokenhint", "verifier", "xsrf",
    ]
    /// `appid` is a key of OpenWeather. (So the `appId` of another service is hidden, too, but an `app_id`
    /// is shown.)
    private static let secretWords = ["appid", "cvc", "cvv", "pass", "pin", "pins", "pw", "ticket"]
}
