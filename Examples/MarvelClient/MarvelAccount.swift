// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The server's URL and the key pair of its user.
struct MarvelAccount: Sendable {
    var baseURL: String
    var publicKey: String
    var privateKey: String

    /// The three parameters that sign a request. The private key itself is never sent.
    ///
    /// - Parameter timestamp: Any text that is different for each request.
    func signature(timestamp: String = UUID().uuidString) -> [String: Any] {
        let hash = MD5.hexDigest((timestamp + privateKey + publicKey).utf8)
        return ["ts": timestamp, "apikey": publicKey, "hash": hash]
    }
}

extension MarvelAccount {
    /// Reads the keys from the environment. Nil if neither key is set.
    ///
    /// - Throws: ``MissingKey`` if only one of the keys is set.
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

/// One or both of the API keys are missing.
struct MissingKey: Error, CustomStringConvertible {
    var names = ["MARVEL_PUBLIC_KEY", "MARVEL_PRIVATE_KEY"]

    var description: String {
        "The server needs a key pair: set \(names.joined(separator: " and "))."
    }
}
