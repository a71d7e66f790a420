// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The server's URL and the key pair of its user.
struct MarvelAccount: Sendable {
    var baseURL: String
    var publicKey, privateKey: String

    /// The three parameters that sign a request. The private key itself is never sent.
    ///
    /// - Parameter timestamp: Any text that is different for each request.
    func signature(timestamp: String = UUID().uuidString) -> [String: Any] {
        let hash = MD5.hexDigest((timestamp + privateKey + publicKey).utf8)
        return ["ts": timestamp, "apikey": publicKey, "hash": hash]
    }

    /// The same account with the keys in the environment, if one of them is set.
    ///
    /// - Throws: ``Failure`` if a key is missing.
    func with(keysIn environment: [String: String]) throws(Failure) -> MarvelAccount {
        let names = ["MARVEL_PUBLIC_KEY", "MARVEL_PRIVATE_KEY"]
        let keys = names.map { environment[$0, default: ""] }
        if keys == ["", ""] && publicKey != "" { return self }
        let missing = zip(names, keys).filter(\.1.isEmpty).map(\.0).joined(separator: " and ")
        guard missing.isEmpty else { throw Failure("The server needs a key pair: set \(missing).") }
        return MarvelAccount(baseURL: baseURL, publicKey: keys[0], privateKey: keys[1])
    }
}
