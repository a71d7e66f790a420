// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// The text of a URL of this call, with `***` in place of its user info and of the values of parameters with a
    /// secret name: see ``isSecret(_:)``.
    ///
    /// A value is also hidden if it contains such a parameter or user info, as in `next=/login?token=123`, or such a member of
    /// JSON or argument of GraphQL, as in `query=mutation{login(pin:123)}`. The rest of the path is shown as it is. Takes
    /// time linear in the text's length.
    public func redacting(url: String) -> String {
        String(decoding: redacting(url: Array(url.utf8)[...]), as: UTF8.self)
    }

    /// - Parameter depth: How many texts the URL is nested in.
    func redacting(url: ArraySlice<UInt8>, depth: Int = 0) -> [UInt8] {
        let scheme = url.prefix { !"/?#".utf8.contains($0) }
        let hasHost = url[scheme.endIndex...].starts(with: "//".utf8)
        let start = url.startIndex + (hasHost ? scheme.count + 2 : 0)
        let origin = url[start...].prefix { hasHost && !"/?#".utf8.contains($0) }
        let path = url[origin.endIndex...].prefix { !"?#".utf8.contains($0) }
        var shown = Array(url[..<start])
        if let at = origin.lastIndex(of: UInt8(ascii: "@")) {
            shown += Array("***".utf8) + origin[at...]
        } else {
            shown += origin
        }
        // Such as `/cart;jsessionid=123/items`.
        shown += redacting(parameters: path, separators: "/;&", depth: depth)
        shown += redacting(parameters: url[path.endIndex...], separators: "&#", depth: depth)
        return shown
    }

    /// Parameters with `***` in place of secret values. By default, they are those of a form.
    func redacting(
        parameters: ArraySlice<UInt8>, separators: String = "&", depth: Int = 0
    ) -> [UInt8] {
        var shown: [UInt8] = []
        var rest = parameters
        while !rest.isEmpty {
            let parameter = rest.prefix { !separators.utf8.contains($0) }
            rest = rest.dropFirst(parameter.count)
            shown += redacting(parameter: parameter, depth)
            shown += rest.prefix(1)
            rest = rest.dropFirst()
        }
        return shown
    }

    private func redacting(parameter: ArraySlice<UInt8>, _ depth: Int) -> [UInt8] {
        let name = parameter.prefix { $0 != UInt8(ascii: "=") }
        let value = parameter.dropFirst(name.count + 1)
        // A whole URL or form may be escaped.
        let isEscaped = ServicePercentDecoding.decode(name).count < name.count
        if isEscaped, hasSecret(name, depth: depth) {
            return Array("***".utf8)
        }
        guard !value.isEmpty, isSecret(name) || hasSecret(value, depth: depth) else {
            return Array(parameter)
        }
        return name + Array("=***".utf8)
    }

    /// Whether a value contains a secret: a percent-encoded or plain URL or form, or JSON or GraphQL with a secret name.
    ///
    /// - Parameter depth: How many texts the value is nested in. At most four are searched.
    func hasSecret(_ value: ArraySlice<UInt8>, depth: Int = 0) -> Bool {
        guard value.contains(where: Self.marks.contains) else { return false }
        // Each level reads the value again.
        guard depth < 4 else { return true }
        let plain = ServicePercentDecoding.decode(value)[...]
        guard !hasSecretArgument(plain) else { return true }
        let text = plain.drop { " \t\r\n+".utf8.contains($0) }
        guard let first = text.first, "{[\"".utf8.contains(first) else {
            return redacting(url: plain, depth: depth + 1) != Array(plain)
        }
        if let shown = redacting(json: text, depth: depth + 1), shown != Array(text) {
            return true
        }
        // It may be a part of a JSON text, or a list of names and values.
        return text.split(separator: UInt8(ascii: "\"")).contains(where: isSecret)
    }

    /// Each parameter, escape, argument, JSON object and URL with a user contains one of these.
    private static let marks = Array("%=@{[:".utf8)
}
