// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Replaces the secrets in a text with `***`. The text is JSON, or words that may be URLs and forms.
///
/// Takes linear time: each byte is read once for each level of texts inside texts.
nonisolated struct ServiceSecretParser {
    /// The secrets so far.
    private(set) var secrets: [String] = []
    /// How many secrets have been replaced.
    private var count = 0
    private let values: ServiceSecretValues
    private let isSecretName: (String) -> Bool
    /// Whether a name is secret, for the names so far.
    private var known: [String: Bool] = [:]

    /// - Parameter values: Secrets to replace wherever they are.
    init(_ values: ServiceSecretValues, _ isSecretName: @escaping (String) -> Bool) {
        (self.values, self.isSecretName) = (values, isSecretName)
    }

    /// Returns a text in UTF-8 without its secrets; nil if they can't be found.
    mutating func redacted(_ text: [UInt8], level: Int = 0) -> [UInt8]? {
        // Honest texts aren't nested deeper.
        guard level < 5 else { return nil }
        let first = text.first { $0 > 0x20 }
        guard let first, "{[\"".utf8.contains(first),
            let json = try? JSONSerialization.jsonObject(
                with: Data(text), options: .fragmentsAllowed)
        else { return words(hidingUsers(in: replacingValues(in: text)), level) }
        let before = count
        let shown = redacted(json, isHidden: false, level)
        let output = count == before ? text : ServiceJSON.text(of: shown).map { Array($0.utf8) }
        // Names and numbers may be secrets too.
        return output.map { replacingValues(in: $0) }
    }

    private mutating func replacingValues(in text: [UInt8]) -> [UInt8] {
        let shown = values.replaced(in: text)
        if shown != text { count += 1 }
        return shown
    }

    private mutating func redacted(_ json: Any, isHidden: Bool, _ level: Int) -> Any {
        if var list = json as? [Any] {
            for index in list.indices {
                list[index] = redacted(list[index], isHidden: isHidden, level)
            }
            return list
        }
        if var object = json as? [String: Any] {
            for (name, value) in object {
                let isHidden = isHidden || isSecret(name)
                object[name] = redacted(value, isHidden: isHidden, level)
            }
            return object
        }
        let text = isHidden || json is String ? Array("\(json)".utf8) : []
        if isHidden, !text.isEmpty { return String(decoding: hide(text), as: UTF8.self) }
        return text.isEmpty ? json : redacted(inner: text, level) ?? json
    }

    /// Returns a text inside another one without its secrets; nil if there are none.
    private mutating func redacted(inner text: [UInt8], _ level: Int) -> String? {
        let before = count
        let shown = redacted(text, level: level + 1) ?? hide(text)
        return count == before ? nil : String(decoding: shown, as: UTF8.self)
    }

    /// Copies URLs, forms and other words. Nil for what may be a part of JSON, and for a secret in quotes.
    private mutating func words(_ text: [UInt8], _ level: Int) -> [UInt8]? {
        var (output, rest) = ([UInt8](), text[...])
        while true {
            let part = rest.prefix { $0 > 0x20 && !"\"<>&?=".utf8.contains($0) }
            rest = rest.dropFirst(part.count)
            // It may be a whole URL, form or JSON.
            let plain = ServicePercentDecoding.decode(part)
            let isEscaped = plain.count < part.count
            let shown = isEscaped ? redacted(inner: plain, level) : nil
            output += shown.map { Array(ServicePercentDecoding.encode($0).utf8)[...] } ?? part
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
            if !value.isEmpty { output += hide(value) }
        }
    }

    /// Hides what is before the `@` in `//user:password@host`.
    private mutating func hidingUsers(in text: [UInt8]) -> [UInt8] {
        guard text.contains(UInt8(ascii: "@")) else { return text }
        var parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for index in parts.indices.dropFirst(2) where parts[index - 1].isEmpty {
            let authority = parts[index].prefix { $0 > 0x20 && !"\"<>?#".utf8.contains($0) }
            guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { continue }
            parts[index] = hide(authority[..<at]) + parts[index][at...]
        }
        return Array(parts.joined(separator: [UInt8(ascii: "/")]))
    }

    private mutating func hide(_ secret: some Collection<UInt8>) -> [UInt8] {
        secrets.append(String(decoding: secret, as: UTF8.self))
        count += 1
        return Array("***".utf8)
    }

    private mutating func isSecret(_ name: String) -> Bool {
        if let answer = known[name] { return answer }
        let answer = isSecretName(name)
        known[name] = answer
        return answer
    }
}

/// Writes JSON. Recording needs it too.
nonisolated enum ServiceJSON {
    /// Values as JSON with sorted keys; nil if they can't be encoded.
    ///
    /// JSONSerialization takes minutes to sort hundreds of thousands of keys.
    static func text(of json: Any) -> String? {
        let object = try? ServiceParameterEncoding(destination: .json).encode(["": json])
        return object.map { String($0.dropFirst(#"{"":"#.count).dropLast()) }
    }
}
