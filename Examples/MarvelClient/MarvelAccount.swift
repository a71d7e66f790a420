// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where the API is, and who asks it.
struct MarvelAccount: Sendable {
    var baseURL: String
    var publicKey: String
    var privateKey: String

    /// The three parameters that every request carries. The private key itself is never sent.
    ///
    /// - Parameter timestamp: Any text that differs from request to request.
    func signature(timestamp: String = UUID().uuidString) -> [String: Any] {
        let hash = MD5.hexDigest((timestamp + privateKey + publicKey).utf8)
        return ["ts": timestamp, "apikey": publicKey, "hash": hash]
    }
}

extension MarvelAccount {
    /// The account that the environment describes; nil when it names no keys at all.
    ///
    /// - Throws: ``MissingKey`` when there is one key without the other.
    init?(baseURL: String, environment: [String: String]) throws(MissingKey) {
        let names = ["MARVEL_PUBLIC_KEY", "MARVEL_PRIVATE_KEY"]
        let missing = names.filter { environment[$0, default: ""].isEmpty }
        if missing == names { return nil }
        guard missing.isEmpty, let publicKey = environment[names[0]],
            let privateKey = environment[names[1]]
        else { throw MissingKey(names: missing) }
        self.init(baseURL: baseURL, publicKey: publicKey, privateKey: privateKey)
    }
}

/// There are no keys to ask a server with.
struct MissingKey: Error, CustomStringConvertible {
    var names = ["MARVEL_PUBLIC_KEY", "MARVEL_PRIVATE_KEY"]

    var description: String {
        "The environment has no key for the server: set \(names.joined(separator: " and "))."
    }
}
