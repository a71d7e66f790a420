// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The command-line arguments, split into words, options and flags. A command takes those that it
/// understands, and then calls ``finish()``, which rejects the rest.
struct Arguments {
    private var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// Splits arguments into words, options with a value (`--limit 5`, `--limit=5`) and flags. After
    /// `--`, all are words.
    ///
    /// - Parameter help: The text that lists options (`  --limit COUNT  ...`) and flags
    ///   (`  --all  ...`), one a line.
    init(_ arguments: [String], help: String) throws(UsageError) {
        var takesValue: [String: Bool] = [:]
        for line in help.split(separator: "\n") where line.hasPrefix("  --") {
            let parts = line.dropFirst(2).split(separator: " ", maxSplits: 1)
            takesValue[String(parts[0])] = parts.last?.first?.isUppercase
        }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            guard argument.hasPrefix("-") else {
                words.append(argument)
                continue
            }
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let isNew = values[name] == nil && !flags.contains(name)
            guard isNew else { throw UsageError(reason: "'\(name)' is given twice") }
            switch takesValue[name] {
            case false:
                guard parts.count == 1 else {
                    throw UsageError(reason: "'\(name)' doesn't take a value")
                }
                flags.insert(name)
            case true:
                // A value can start with one dash, such as "-modified".
                let isNext = rest.first?.hasPrefix("--") == false
                let next = parts.count == 2 ? String(parts[1]) : isNext ? rest.popFirst() : nil
                guard let next else { throw UsageError(reason: "'\(name)' needs a value") }
                values[name] = next
            case nil:
                throw UsageError(reason: "Unknown option '\(name)'")
            }
        }
    }

    /// Whether an argument in front of `--` is `--help` or `-h`.
    static func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// Takes the next word. Nil if there is none left.
    mutating func word() -> String? { words.isEmpty ? nil : words.removeFirst() }

    /// Takes the next word, which mustn't be empty.
    ///
    /// - Parameter reason: The error's text if no word is left.
    mutating func word(orFail reason: String) throws(UsageError) -> String {
        guard let word = word(), !word.isEmpty else { throw UsageError(reason: reason) }
        return word
    }

    /// Takes the value of an option. Nil if the option isn't given.
    mutating func option(_ name: String) -> String? { values.removeValue(forKey: name) }

    /// Takes the value of an option, which mustn't be empty. Nil if the option isn't given.
    mutating func text(_ name: String) throws(UsageError) -> String? {
        let text = option(name)
        if text == "" { throw UsageError(reason: "'\(name)' needs a value") }
        return text
    }

    /// Takes the value of an option, which must be a whole number. Nil if the option isn't given.
    mutating func number(_ name: String) throws(UsageError) -> Int? {
        guard let text = option(name) else { return nil }
        return try Self.number(text, for: name)
    }

    /// Takes a flag. False if it isn't given.
    mutating func flag(_ name: String) -> Bool { flags.remove(name) != nil }

    /// Rejects the arguments that nothing has taken.
    func finish() throws(UsageError) {
        if let word = words.first { throw UsageError(reason: "Unexpected argument '\(word)'") }
        if let name = flags.union(values.keys).min() {
            throw UsageError(reason: "'\(name)' doesn't apply to this command")
        }
    }

    /// Parses a whole number.
    ///
    /// - Parameter name: The argument that the error's text names.
    static func number(_ text: String, for name: String) throws(UsageError) -> Int {
        guard let number = Int(text) else {
            throw UsageError(reason: "'\(name)' needs a whole number, not '\(text)'")
        }
        return number
    }
}
