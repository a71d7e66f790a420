// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An error in the command-line arguments. The reason is one clause and quotes the wrong argument.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let reason: String

    var description: String { "\(reason). See 'MarvelClient --help'." }
}

/// The command-line arguments, split into words, options and flags but not yet interpreted.
struct Arguments {
    private var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    private static let valueNames: Set = [
        "--name", "--starts-with", "--order-by", "--limit", "--offset", "--base-url", "--record",
        "--replay", "--throttled", "--transport",
    ]
    private static let flagNames: Set = ["--all", "--json", "--silent", "--verbose", "--curl"]

    /// Splits arguments into words, options with a value (`--limit 5`, `--limit=5`) and flags.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                words.append(argument)
                continue
            }
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let isNew = values[name] == nil && !flags.contains(name)
            guard isNew else { throw UsageError(reason: "'\(name)' is given twice") }
            if Self.flagNames.contains(name) {
                guard parts.count == 1 else {
                    throw UsageError(reason: "'\(name)' doesn't take a value")
                }
                flags.insert(name)
            } else if Self.valueNames.contains(name) {
                // A value can start with one dash, such as "-modified".
                let isNext = rest.first?.hasPrefix("--") == false
                let next = parts.count == 2 ? String(parts[1]) : isNext ? rest.popFirst() : nil
                guard let next else { throw UsageError(reason: "'\(name)' needs a value") }
                values[name] = next
            } else {
                throw UsageError(reason: "Unknown option '\(name)'")
            }
        }
    }

    /// Builds the command. Arguments that the command doesn't use are an error.
    mutating func command() throws(UsageError) -> Command {
        let action = try takeAction()
        var command = Command(
            action: action, baseURL: values.removeValue(forKey: "--base-url"),
            isJSON: action.hasReply && flags.remove("--json") != nil)
        if action.sendsRequests {
            command.isVerbose = flags.remove("--verbose") != nil
            command.showsCURL = flags.remove("--curl") != nil
            command.traffic = try takeTraffic()
            command.transport = try takeTransport()
        }
        if let word = words.first { throw UsageError(reason: "Unexpected argument '\(word)'") }
        if let name = flags.union(values.keys).min() {
            throw UsageError(reason: "'\(name)' doesn't apply to this command")
        }
        return command
    }

    private mutating func takeAction() throws(UsageError) -> Command.Action {
        switch words.isEmpty ? "characters" : words.removeFirst() {
        case "characters":
            let filter = CharacterFilter(
                name: values.removeValue(forKey: "--name"),
                nameStartsWith: values.removeValue(forKey: "--starts-with"),
                orderBy: values.removeValue(forKey: "--order-by"),
                limit: try takeNumber("--limit"), offset: try takeNumber("--offset"))
            let isAll = flags.remove("--all") != nil
            return isAll ? .allCharacters(filter) : .characters(filter)
        case "character":
            guard !words.isEmpty else { throw UsageError(reason: "'character' needs an ID") }
            return .character(id: try Self.number(words.removeFirst(), for: "character"))
        case "save":
            guard words.count > 1 else {
                throw UsageError(reason: "'save' needs a file and the ID or name of a character")
            }
            return .save(file: words.removeFirst(), character: words.removeFirst())
        case "gateway":
            let isSilent = flags.remove("--silent") != nil
            let throttled = try takeNumber("--throttled") ?? 0
            return .gateway(isSilent: isSilent, throttled: throttled)
        case let word:
            throw UsageError(reason: "Unknown command '\(word)'")
        }
    }

    private mutating func takeTraffic() throws(UsageError) -> Command.Traffic? {
        let record = values.removeValue(forKey: "--record")
        let replay = values.removeValue(forKey: "--replay")
        guard record == nil || replay == nil else {
            throw UsageError(reason: "'--record' and '--replay' can't be combined")
        }
        return record.map { .record(file: $0) } ?? replay.map { .replay(file: $0) }
    }

    private mutating func takeTransport() throws(UsageError) -> Command.Transport {
        guard let name = values.removeValue(forKey: "--transport") else { return .urlSession }
        guard let transport = Command.Transport(rawValue: name) else {
            throw UsageError(reason: "'--transport' must be 'urlsession' or 'curl', not '\(name)'")
        }
        return transport
    }

    private mutating func takeNumber(_ name: String) throws(UsageError) -> Int? {
        guard let text = values.removeValue(forKey: name) else { return nil }
        return try Self.number(text, for: name)
    }

    private static func number(_ text: String, for name: String) throws(UsageError) -> Int {
        guard let number = Int(text) else {
            throw UsageError(reason: "'\(name)' needs a whole number, not '\(text)'")
        }
        return number
    }
}

extension Command {
    /// Parses a command from the program's arguments, without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        if arguments.contains("--help") || arguments.contains("-h") {
            self.init(action: .help)
        } else {
            var arguments = try Arguments(arguments)
            self = try arguments.command()
        }
    }
}
