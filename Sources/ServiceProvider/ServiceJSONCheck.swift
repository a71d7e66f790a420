// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Finds the reason why a body isn't JSON (RFC 8259), in one pass without recursion. `JSONDecoder` doesn't tell it.
nonisolated struct ServiceJSONCheck {
    /// A reason, as error texts show it.
    enum Fault: String, Error {
        case blank = "the body is blank"
        case cut = "the body was cut off"
        case deep = "the body has more than 512 levels"
        case invalid = "the body isn't valid JSON"
        case second = "the body continues after its JSON value"
    }

    private enum Expected {
        case value, key, colon, comma
    }

    private var rest: Data.Iterator
    /// The next byte. (JSON has other bytes than ASCII only in strings, where their meaning doesn't matter.)
    private var scalar: Unicode.Scalar?
    /// The closing brackets of the open arrays and objects.
    private var open: [Unicode.Scalar] = []

    /// Returns the first fault of a body. Nil if it's JSON, but for malformed numbers and for commas that `JSONDecoder`
    /// ignores.
    static func fault(of body: Data) -> Fault? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var check = Self(rest: body.dropFirst(body.starts(with: mark) ? 3 : 0).makeIterator())
        do {
            try check.run()
            return nil
        } catch {
            return error as? Fault
        }
    }

    private mutating func run() throws {
        var expected = Expected.value
        var last: Unicode.Scalar?
        advance()
        while let scalar {
            advance()
            // `JSONDecoder` also reads a comma before the end.
            let canClose = expected == .comma || last == "{" || last == "[" || last == ","
            switch (scalar, expected) {
            case (" ", _), ("\t", _), ("\n", _), ("\r", _):
                continue
            case (_, .comma) where open.isEmpty:
                // Text may start with a word or a number of JSON: "404 page not found".
                throw last == "}" || last == "]" ? Fault.second : Fault.invalid
            case _ where canClose && scalar == open.last:
                open.removeLast()
                expected = .comma
            case (",", .comma):
                expected = open.last == "}" ? .key : .value
            case (":", .colon):
                expected = .value
            case ("\"", .key):
                try skipString()
                expected = .colon
            case ("\"", .value):
                try skipString()
                expected = .comma
            case ("{", .value):
                open.append("}")
                expected = .key
            case ("[", .value):
                open.append("]")
            case (_, .value):
                try skipWord(from: scalar)
                expected = .comma
            default:
                throw Fault.invalid
            }
            // `JSONDecoder` reads 512 levels.
            guard open.count <= 512 else { throw Fault.deep }
            last = scalar
        }
        guard open.isEmpty, expected == .comma else {
            throw last == nil ? Fault.blank : Fault.cut
        }
    }

    private mutating func skipString() throws {
        while let scalar {
            advance()
            switch scalar {
            case "\"": return
            case "\0"..<" ": throw Fault.invalid
            case "\\":
                guard let escaped = self.scalar else { throw Fault.cut }
                guard "\"\\/bfnrtu".unicodeScalars.contains(escaped) else { throw Fault.invalid }
                advance()
            default: continue
            }
        }
        throw Fault.cut
    }

    /// Skips a number, a boolean or null.
    private mutating func skipWord(from first: Unicode.Scalar) throws {
        var word = [first]
        while let scalar, !" \t\r\n,]}".unicodeScalars.contains(scalar) {
            word.append(scalar)
            advance()
        }
        guard scalar != nil || open.isEmpty else { throw Fault.cut }
        let digits = "0123456789+-.eE".unicodeScalars
        let isWord = ["true", "false", "null"].contains { $0.unicodeScalars.elementsEqual(word) }
        guard isWord || word.allSatisfy(digits.contains) else { throw Fault.invalid }
    }

    private mutating func advance() {
        scalar = rest.next().map { Unicode.Scalar($0) }
    }
}
