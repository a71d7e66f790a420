// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceParameterStyle {
    /// The text between two elements of an array.
    struct Separator {
        let character: Unicode.Scalar
        /// The text to send. A comma isn't escaped, so it differs from one in an element. Other characters must be
        /// escaped.
        let encoded: String
        let mayBeInElements: Bool

        static let comma = Separator(character: ",", encoded: ",", mayBeInElements: true)
        static let pipe = Separator(character: "|", encoded: "%7C", mayBeInElements: false)
        static let space = Separator(character: " ", encoded: "%20", mayBeInElements: false)
    }

    /// Writes parameters as JSON, or as a query or form.
    struct Writer {
        let style: ServiceParameterStyle
        let isJSON: Bool
        var bytes: [UInt8] = []

        /// Writes a value. The name is the query key, such as `filter[from]`.
        mutating func write(_ value: ServiceParameterValue, name: String, depth: Int) throws {
            switch value {
            case .text(let text) where isJSON: writeQuoted(text)
            case .literal(let text) where isJSON: bytes += text.utf8
            case .null where isJSON: bytes += "null".utf8
            case .text(let text), .literal(let text): writePair(name, text)
            case .null: break
            case .list(let elements): try write(elements, name: name, depth: depth)
            case .object(let members): try write(members, name: name, depth: depth)
            }
        }

        private mutating func write(_ members: [String: Any], name: String, depth: Int) throws {
            var separator = ""
            writeMark("{")
            for key in keys(of: members, depth) {
                let path = depth == 0 ? key : style.memberName(name, key)
                guard let member = members[key], let value = try read(member, path, depth + 1)
                else { continue }
                if isJSON {
                    writeMark(separator)
                    writeQuoted(key)
                    writeMark(":")
                    separator = ","
                }
                try write(value, name: path, depth: depth + 1)
            }
            writeMark("}")
        }

        /// The keys in their order. The style has an order for the first level.
        private func keys(of members: [String: Any], _ depth: Int) -> [String] {
            guard depth == 0, !style.order.isEmpty else { return members.keys.sorted() }
            var rest = members
            let first = style.order.filter { rest.removeValue(forKey: $0) != nil }
            return first + rest.keys.sorted()
        }

        private mutating func write(_ elements: [Any], name: String, depth: Int) throws {
            if let separator = style.separator, !isJSON {
                let texts = try texts(of: elements, separator, name, depth)
                if let texts {
                    return writeList(name, texts, separator)
                }
            }
            var index = 0
            writeMark("[")
            for element in elements {
                let path = isJSON ? name : style.elementName(name, index)
                guard let value = try read(element, path, depth + 1) else { continue }
                if case .null = value, !isJSON {
                    continue
                }
                if index > 0 {
                    writeMark(",")
                }
                try write(value, name: path, depth: depth + 1)
                index += 1
            }
            writeMark("]")
        }

        /// The elements, percent-encoded. Nil if one of them is an array or a dictionary.
        private func texts(
            of elements: [Any], _ separator: Separator, _ name: String, _ depth: Int
        ) throws -> [String]? {
            var texts: [String] = []
            for element in elements {
                switch try read(element, name, depth + 1) {
                case .text(let text), .literal(let text):
                    let isClear =
                        separator.mayBeInElements
                        || !text.unicodeScalars.contains(separator.character)
                    try ServiceError.require(
                        isClear, of: .parameter,
                        reason: "an element of '\(name)' has a '\(separator.character)'")
                    texts.append(ServicePercentEncoding.encode(text))
                case .list, .object: return nil
                case .null, nil: continue
                }
            }
            return texts
        }

        private mutating func writeList(
            _ name: String, _ texts: [String], _ separator: Separator
        ) {
            guard !texts.isEmpty else { return }
            writePair(name, encoded: texts.joined(separator: separator.encoded))
        }

        /// Writes a mark between values, which only JSON has.
        private mutating func writeMark(_ mark: String) {
            guard isJSON else { return }
            bytes += mark.utf8
        }

        private func read(
            _ value: Any, _ name: String, _ depth: Int
        ) throws -> ServiceParameterValue? {
            let replaced = style.replacement?(value, isJSON) ?? value
            let mayBeReplaced = style.replacement != nil && depth <= 64
            guard mayBeReplaced, let inner = Self.inner(of: replaced) else {
                return try ServiceParameterValue(replaced, name: name, depth: depth)
            }
            // This may be replaced, too.
            return try read(inner, name, depth + 1)
        }

        /// The value in an Optional, an AnyHashable or a RawRepresentable.
        private static func inner(of value: Any) -> Any? {
            switch value {
            // An Optional of a String `is String`, too.
            case is String where type(of: value) == String.self: nil
            case is Int where type(of: value) == Int.self: nil
            case let box as AnyHashable where type(of: value) == AnyHashable.self: box.base
            case Optional<Any>.some(let it)
            where Mirror(reflecting: value).displayStyle == .optional:
                it
            case let raw as any RawRepresentable: raw.rawValue
            default: nil
            }
        }

        private mutating func writePair(_ name: String, _ value: String) {
            writePair(name, encoded: ServicePercentEncoding.encode(value))
        }

        private mutating func writePair(_ name: String, encoded value: String) {
            if !bytes.isEmpty {
                bytes.append(UInt8(ascii: "&"))
            }
            bytes += ServicePercentEncoding.encode(name).utf8
            bytes.append(UInt8(ascii: "="))
            bytes += value.utf8
        }

        private mutating func writeQuoted(_ text: String) {
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case 0x22, 0x5C: bytes += [0x5C, byte]
                case ..<0x20: bytes += String(format: "\\u%04X", byte).utf8
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }
}
