// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Keeps secrets out of texts.
nonisolated enum ServiceRedaction {
    /// How the names of secrets end, in headers, queries, forms and JSON; letters and digits only:
    /// `apikey` is how `X-Api-Key`, `api_key` and `apiKey` end.
    private static let endings = [
        "auth", "authorization", "cookie", "credential", "credentials", "hash", "jwt", "key",
        "passwd",
        "password", "pwd", "secret", "session", "sessionid", "sid", "sig", "signature", "token",
    ]

    static func isSecret(_ name: String) -> Bool {
        let bare = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return endings.contains { bare.hasSuffix($0) }
    }

    /// Where a URL leads, and nothing else: no user info, no query, no fragment. Works on any text.
    static func place(_ url: String) -> String {
        let secret = #"(?s)(?<=//)[^/?#]*@|^(?!\w+://).*@|[?#].*"#
        return url.replacingOccurrences(of: secret, with: "", options: .regularExpression)
    }
}
