// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The directives of a `Cache-Control` (RFC 9111, section 5.2), or the names in a `Vary`.
///
/// Invalid values are read cautiously, so that fewer responses are stored or count as fresh: an
/// unclosed quote counts as `no-store`, and a quoted number, or two different numbers for one
/// directive, count as an invalid number.
nonisolated struct ServiceCacheControl {
    /// By the bytes of the name: hashing combining marks takes quadratic time.
    private var values: [[UInt8]: String] = [:]

    init(_ text: String?) {
        let list = ArraySlice(field: text).elements()
        if !list.isClosed {
            values[Array("no-store".utf8)] = ""
        }
        for directive in list.elements {
            let name = directive.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") }
            // The quotes stay, so that a quoted number isn't a number.
            var value = directive[name.endIndex...]
            if value.first == UInt8(ascii: "=") {
                value.removeFirst()
            }
            let key = Array(String(decoding: name, as: UTF8.self).lowercased().utf8)
            let text = String(decoding: value, as: UTF8.self)
            let isUnclear = values[key].map { !$0.isIdentical(to: text) } ?? false
            values[key] = text
            if isUnclear {
                values[key] = "?"
            }
        }
    }

    subscript(name: String) -> String? { values[Array(name.utf8)] }

    func contains(_ name: String) -> Bool { self[name] != nil }

    /// The seconds of a directive; nil if it's missing.
    ///
    /// - Parameter invalid: The result for a value that isn't a number.
    func seconds(_ name: String, invalid: TimeInterval = 0) -> TimeInterval? {
        self[name].map { Self.seconds($0.utf8) ?? invalid }
    }

    /// Parses a number of seconds, at most 2^31 (RFC 9111, section 1.2.2); nil if it isn't one.
    static func seconds(_ digits: some Collection<UInt8>) -> TimeInterval? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { min($0 * 10 + TimeInterval($1 - 0x30), longest) }
    }

    /// 2^31 seconds: 68 years.
    static let longest: TimeInterval = 2_147_483_648
}

nonisolated extension ServiceRequest {
    var cacheControl: ServiceCacheControl {
        ServiceCacheControl(urlRequest.value(forHTTPHeaderField: "Cache-Control"))
    }
}
