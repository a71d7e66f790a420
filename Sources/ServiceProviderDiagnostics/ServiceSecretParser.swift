// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Replaces the secrets in a text with `***`. The text is JSON, or words that may be URLs and forms.
///
/// Takes linear time: each byte is read once for each level of texts inside texts.
nonisolated struct ServiceSecretParser {
    /// The secrets so far.
    private(set) var secrets: [String] = []
    /// How many changes have been made.
    private var count = 0
    /// How many members the objects of the JSON have.
    private var members = 0
    private let values: ServiceSecretValues
    private let isSecretName: (String) -> Bool
    /// Whether a name is secret, for the names so far.
    private var known: [[UInt8]: Bool] = [:]

    /// - Parameter values: Secrets to replace wherever they are.
    init(_ values: ServiceSecretValues, _ isSecretName: @escaping (String) -> Bool) {
        (self.values, self.isSecretName) = (values, isSecretName)
    }

    /// Returns a text in UTF-8 without its secrets; nil if they can't be found.
    ///
    /// - Parameters:
    ///   - level: How deep the text is nested: 20 levels for each text around it, and one for each list
    ///     or object. The limit protects the stack.
    ///   - mustBeJSON: Whether any other text isn't searched.
    mutating func redacted(
        _ text: [UInt8], level: Int = 0, isJSON mustBeJSON: Bool = false
    ) -> [UInt8]? {
        guard level < 100 else { return nil }
        guard mustBeJSON || text.contains(where: Self.marks.contains) else {
            return replacingValues(in: text)
        }
        let first = text.first { $0 > 0x20 } ?? 0
        // JSONSerialization takes text with NUL for UTF-16.
        let isJSON = (mustBeJSON || "{[\"".utf8.contains(first)) && !text.contains(0)
        guard let colons = isJSON ? ServiceJSON.colons(in: text) : 0 else { return nil }
        guard isJSON,
            let json = try? JSONSerialization.jsonObject(
                with: Data(text), options: .fragmentsAllowed)
        else {
            return mustBeJSON ? nil : words(hidingUsers(in: replacingValues(in: text)), level)
        }
        let (before, outer) = (count, members)
        members = 0
        let shown = redacted(json, isHidden: false, level)
        // If a name occurs twice in an object, only one of the values has been read.
        if members != colons { count += 1 }
        members = outer
        let output = count == before ? text : ServiceJSON.text(of: shown).map { Array($0.utf8) }
        // Names and numbers may be secrets too.
        return output.map { replacingValues(in: $0) }
    }

    /// Each form, escape, JSON text and URL with a user contains one of these.
    private static let marks = Array("\"%=@".utf8)

    private mutating func replacingValues(in text: [UInt8]) -> [UInt8] {
        let shown = values.replaced(in: text)
        if shown != text { count += 1 }
        return shown
    }

    private mutating func redacted(_ json: Any, isHidden: Bool, _ level: Int) -> Any {
        switch json {
        case let text as String where text.isEmpty: return text
        case let text as String where !isHidden: return redacted(inner: text, level) ?? text
        case var list as [Any] where level < 100:
            for index in list.indices {
                list[index] = redacted(list[index], isHidden: isHidden, level + 1)
            }
            return list
        case var object as [String: Any] where level < 100:
            members += object.count
            for (name, value) in object {
                object[name] = redacted(
                    value, isHidden: isHidden || isSecret(name), level + 1)
            }
            return object
        case let value where isHidden || level == 100: return hide("\(value)")
        default: return json
        }
    }

    /// Returns a text inside another one without its secrets; nil if it has none.
    private mutating func redacted(inner text: String, _ level: Int) -> String? {
        let before = count
        let shown = redacted(Array(text.utf8), level: level + 20)
        let output = shown.map { String(decoding: $0, as: UTF8.self) } ?? hide(text)
        return count == before ? nil : output
    }

    /// Copies URLs, forms and other words. Nil for what may be a part of JSON, and for a secret in quotes.
    private mutating func words(_ text: [UInt8], _ level: Int) -> [UInt8]? {
        var (output, rest) = ([UInt8](), text[...])
        while true {
            let part = rest.prefix { $0 > 0x20 && !"\"<>&?=".utf8.contains($0) }
            rest = rest.dropFirst(part.count)
            // It may be a whole URL, form or JSON.
            let plain = part.contains(UInt8(ascii: "%")) ? ServicePercentDecoding.decode(part) : []
            let isEscaped = !plain.isEmpty && plain.count < part.count
            let shown =
                isEscaped ? redacted(inner: String(decoding: plain, as: UTF8.self), level) : nil
            output +=
                shown.map { Array(ServicePercentEncoding.encode($0, keeping: "*").utf8)[...] }
                ?? part
            guard let mark = rest.popFirst() else { return output }
            let isPair =
                mark == UInt8(ascii: "=") && isSecret(String(decoding: part, as: UTF8.self))
            let value = isPair ? rest.prefix { $0 > 0x20 && !"\"<>&".utf8.contains($0) } : []
            rest = rest.dropFirst(value.count)
            // `Alt-Svc: h3=":443"` isn't JSON.
            let isName = mark == UInt8(ascii: "\"") && output.last != UInt8(ascii: "=")
            let isQuoted = isPair && value.isEmpty && rest.first == UInt8(ascii: "\"")
            if isQuoted || isName && rest.first(where: { $0 > 0x20 }) == UInt8(ascii: ":") {
                return nil
            }
            output.append(mark)
            if !value.isEmpty { output += hide(String(decoding: value, as: UTF8.self)).utf8 }
        }
    }

    /// Hides what is before the `@` in `//user:password@host`.
    private mutating func hidingUsers(in text: [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "@")) else { return text }
        var parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for index in parts.indices.dropFirst(2) where parts[index - 1].isEmpty {
            let authority = parts[index].prefix { $0 > 0x20 && !"\"<>?#".utf8.contains($0) }
            guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { continue }
            let stars = hide(String(decoding: authority[..<at], as: UTF8.self))
            parts[index] = Array(stars.utf8) + parts[index][at...]
        }
        return Array(parts.joined(separator: [UInt8(ascii: "/")]))
    }

    private mutating func hide(_ secret: String) -> String {
        secrets.append(secret)
        count += 1
        return "***"
    }

    private mutating func isSecret(_ name: String) -> Bool {
        // By bytes: hashing combining marks takes quadratic time.
        let key = Array(name.utf8)
        if let answer = known[key] { return answer }
        let answer = isSecretName(name)
        known[key] = answer
        return answer
    }
}
