// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// The text of a URL of this call, with `***` in place of its user info and of the values of parameters with a
    /// secret name: see ``isSecret(_:)``.
    ///
    /// Takes time linear in the text's length. A path is shown as it is.
    public func redacting(url: String) -> String {
        let bytes = Array(url.utf8)[...]
        let start = Self.startOfPath(in: bytes)
        var shown = Self.hidingUser(in: bytes[..<start])
        shown += redacting(parameters: bytes[start...])
        return String(decoding: shown, as: UTF8.self)
    }

    /// Parameters, such as those of a form, with `***` in place of secret values.
    ///
    /// - Parameter depth: How many texts the parameters are nested in.
    package func redacting(parameters: ArraySlice<UInt8>, depth: Int = 0) -> [UInt8] {
        var shown: [UInt8] = []
        var rest = parameters
        while !rest.isEmpty {
            let pair = rest.prefix { !Self.separators.contains($0) }
            rest = rest.dropFirst(pair.count)
            shown += redacting(pair: pair, depth)
            if let separator = rest.popFirst() {
                shown.append(separator)
            }
        }
        return shown
    }

    /// What separates the parameters of a URL, a form or a path.
    private static let separators = Array("?#&;".utf8)

    private func redacting(pair: ArraySlice<UInt8>, _ depth: Int) -> [UInt8] {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return Array(pair) }
        let name = pair[..<equals]
        let value = pair[pair.index(after: equals)...]
        let isHidden =
            isSecret(String(decoding: name, as: UTF8.self)) || hasNestedSecret(value, depth)
        return isHidden && !value.isEmpty ? name + Array("=***".utf8) : Array(pair)
    }

    /// Whether a value is a URL or a form that has a secret, such as that of `next=%2Flogin%3Ftoken%3D123`.
    private func hasNestedSecret(_ value: ArraySlice<UInt8>, _ depth: Int) -> Bool {
        let plain = ServicePercentDecoding.decode(value)
        guard plain.contains(UInt8(ascii: "=")) || plain.contains(UInt8(ascii: "@")) else {
            return false
        }
        // Each level decodes the value again.
        guard depth < 3 else { return true }
        let start = Self.startOfPath(in: plain[...])
        return Self.hidingUser(in: plain[..<start]).count != start
            || redacting(parameters: plain[start...], depth: depth + 1) != Array(plain[start...])
    }

    /// Where the path starts, or the query of a URL without a path. A text that doesn't start like a URL is all path.
    private static func startOfPath(in url: ArraySlice<UInt8>) -> Int {
        let scheme = url.prefix { $0 != UInt8(ascii: "/") && !separators.contains($0) }
        guard url[scheme.endIndex...].starts(with: "//".utf8) else { return url.startIndex }
        let authority = url[scheme.endIndex...].dropFirst(2)
        return authority.firstIndex { $0 == UInt8(ascii: "/") || separators.contains($0) }
            ?? url.endIndex
    }

    /// Hides what is before the `@` of `https://user:password@host`.
    private static func hidingUser(in origin: ArraySlice<UInt8>) -> [UInt8] {
        guard let at = origin.lastIndex(of: UInt8(ascii: "@")) else { return Array(origin) }
        let scheme = origin.prefix { $0 != UInt8(ascii: "/") }
        return scheme + Array("//***".utf8) + origin[at...]
    }
}
