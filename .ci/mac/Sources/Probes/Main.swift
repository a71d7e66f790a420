// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers

/// Tries what the documentation promises about URLSession and libcurl, and prints a line for each probe and transport:
/// "held: …", "differs: …" or "not tried: …". Exits with 1 if something differs.
///
///     Probes [--quick] [NAME…]
///
/// Each probe runs in a process of its own, so that a crash or an endless wait ends only that one.
@main struct Main {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        switch arguments.first {
        // The rest of the arguments comes from this program itself.
        case "--run": await runHere(arguments[1], arguments[2], isQuick)
        case "--download": try await Probe.download(arguments[1], to: arguments[2], arguments[3])
        case "--status": await Probe.printStatus(of: arguments[1])
        default: try await runAll(arguments, isQuick)
        }
    }

    private static func runAll(_ names: [String], _ isQuick: Bool) async throws {
        let unknown = names.first { name in Probe.all.allSatisfy { $0.name != name } }
        if let unknown {
            let known = Probe.all.map(\.name).joined(separator: " ")
            print("There is no probe '\(unknown)'. The probes are: \(known)")
            exit(2)
        }
        var hasDifference = false
        for probe in Probe.all where names.isEmpty || names.contains(probe.name) {
            for transport in Setting.Transport.allCases {
                let line = try await runInProcess(probe, transport, isQuick)
                // Not `print`, which would keep the lines in memory if the output is a file.
                try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
                hasDifference = hasDifference || line.hasPrefix("differs")
            }
        }
        exit(hasDifference ? 1 : 0)
    }

    private static func runInProcess(
        _ probe: Probe, _ transport: Setting.Transport, _ isQuick: Bool
    ) async throws -> String {
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("probe-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        var arguments = ["--run", probe.name, transport.rawValue]
        if isQuick { arguments.append("--quick") }
        let program = try Program(arguments, output: output)
        let name = "\(probe.name), \(transport.title)"
        guard try await program.end(within: probe.limit) else {
            return "differs: \(name): it didn't end within \(Int(probe.limit)) s"
        }
        let line = program.text.trimmingCharacters(in: .newlines)
        guard !line.isEmpty else {
            return "differs: \(name): its process ended with \(program.ending)"
        }
        // It may have crashed after its last line.
        guard program.ending == "status 0" else {
            return "differs: \(name): its process ended with \(program.ending), after '\(line)'"
        }
        return line
    }

    private static func runHere(_ name: String, _ transport: String, _ isQuick: Bool) async {
        guard let probe = Probe.all.first(where: { $0.name == name }),
            let transport = Setting.Transport(rawValue: transport)
        else { return }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("probe-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true)
        let setting = Setting(transport: transport, isQuick: isQuick, folder: folder)
        let line = await probe.line(setting)
        try? FileManager.default.removeItem(at: folder)
        // An error's text may have several lines, and the path of the folder.
        let words = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        print(words.replacingOccurrences(of: folder.path, with: "…"))
    }
}
