// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// Where a program prints, and the environment it runs in. Tests replace the closures.
struct Console: Sendable {
    /// The environment variables. They may contain keys.
    var environment: [String: String] = [:]
    /// The terminal's width in columns.
    var width = 80
    /// Whether text can be bold. False unless standard output is a terminal.
    var hasStyles = false
    /// Nil if standard error isn't a terminal, because a file would keep every state of the bar.
    var progressBar: ProgressBar?
    /// Prints results to standard output.
    var write: @Sendable (String) throws -> Void
    /// Prints a log entry to standard error.
    var log: @Sendable (String) -> Void = { _ in }

    /// Prints lines to standard output.
    func print(_ lines: [String]) throws { try write(lines.map { $0 + "\n" }.joined()) }

    /// Prints lines to standard output, wrapped between words. URLs aren't wrapped, so that they can
    /// be clicked.
    func print(wrapping lines: [String]) throws {
        try print(
            lines.flatMap {
                $0.utf8.starts(with: "http".utf8) ? [$0] : $0.wrapped(to: width)
            })
    }

    /// A text in bold, if the console has styles.
    func bold(_ text: String) -> String {
        hasStyles && !text.isEmpty ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    /// A text with its start in bold, if the text starts with `prefix` in any case.
    func bold(prefix: String, of text: String) -> String {
        let match = text.range(of: prefix, options: [.anchored, .caseInsensitive])
        let end = match?.upperBound ?? text.startIndex
        return bold(String(text[..<end])) + text[end...]
    }

    /// Prints a value as JSON to standard output.
    func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try print([String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON])
    }
}

extension Console {
    /// The console of this process.
    init(environment: [String: String]) {
        self.init(
            environment: environment,
            width: Terminal.width(environment: environment, of: STDOUT_FILENO),
            hasStyles: Terminal.allowsStyles(environment) && isatty(STDOUT_FILENO) == 1,
            progressBar: Terminal.progressBar(environment: environment),
            write: { try Terminal.write($0, to: STDOUT_FILENO) },
            log: { try? Terminal.write($0 + "\n", to: STDERR_FILENO) })
    }

    /// Runs a program and exits with its status: 0, 1 for an error, or 64 for wrong arguments, as in
    /// `sysexits.h`. A signal, such as that of Ctrl-C, cancels the program's task. If the task fails
    /// then, the status is 128 plus the signal's number, as in shells.
    ///
    /// - Parameter program: Receives the arguments without the program's name.
    static func run(
        _ program: @escaping @Sendable ([String], Console) async throws -> Void
    ) -> Never {
        Terminal.openClosedDescriptors()
        Terminal.ignoreBrokenPipes()
        let signal = EndSignal()
        let task = Task {
            let console = Console(environment: ProcessInfo.processInfo.environment)
            try await program(Array(CommandLine.arguments.dropFirst()), console)
        }
        signal.onReceive { task.cancel() }
        Task { exit(after: await task.result, signal) }
        dispatchMain()
    }

    private static func exit(after result: Result<Void, any Error>, _ signal: EndSignal) -> Never {
        do {
            try result.get()
            Foundation.exit(0)
        } catch is Terminal.NoReader {
            Foundation.exit(0)
        } catch {
            if let number = signal.number { Foundation.exit(128 + number) }
            let isFoundations = error is LocalizedError || error is CocoaError
            let text =
                (error as? ServiceError)?.explanation
                ?? (isFoundations ? error.localizedDescription : "\(error)")
            try? Terminal.write("Error: \(text.printable)\n", to: STDERR_FILENO)
            Foundation.exit(error is UsageError ? 64 : 1)
        }
    }
}
