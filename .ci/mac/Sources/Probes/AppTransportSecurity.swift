// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

extension Probe {
    /// An app's request by http. The probe makes an app of this program, and runs it.
    static let appTransportSecurity = Probe(name: "app-transport-security", limit: 120) { _ in
        "App Transport Security refuses http, except to IP addresses and hosts that the app lists."
    } run: { setting in
        guard setting.isApple else { return .notTried("it needs a Mac") }
        let server = try LoopbackServer { _ in .text("hello") }
        let app = try makeApp(in: setting.folder)
        let address = try await status(of: server.baseURL, app, setting)
        // A name that never exists, so that nothing is sent if App Transport Security isn't active.
        let name = try await status(of: "http://probe.invalid", app, setting)
        guard name == "URLError -1022" else {
            return .notTried(
                "App Transport Security isn't active in an app made by hand: http to a name ended "
                    + "with \(name), to 127.0.0.1 with \(address)")
        }
        return .seen(
            "in an app, http to 127.0.0.1 ended with \(address), and to a name with \(name)",
            asDocumented: address == "status 200")
    }

    /// Makes an app with this program. It has no settings for App Transport Security.
    private static func makeApp(in folder: URL) throws -> URL {
        let contents = folder.appendingPathComponent("Probe.app/Contents")
        let programs = contents.appendingPathComponent("MacOS")
        let program = programs.appendingPathComponent("Probe")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Program.executable, to: program)
        let settings = [
            "CFBundleExecutable": "Probe", "CFBundleIdentifier": "example.ServiceProvider.Probe",
            "CFBundleName": "Probe", "CFBundlePackageType": "APPL",
            "CFBundleInfoDictionaryVersion": "6.0", "CFBundleShortVersionString": "1.0",
            "CFBundleVersion": "1",
        ]
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        try encoder.encode(settings).write(to: contents.appendingPathComponent("Info.plist"))
        return program
    }

    private static func status(
        of url: String, _ app: URL, _ setting: Setting
    ) async throws -> String {
        let output = setting.folder.appendingPathComponent(UUID().uuidString)
        let program = try Program(["--status", url], of: app, output: output)
        guard try await program.end(within: 40) else { return "no end within 40 s" }
        let text = program.text.trimmingCharacters(in: .newlines)
        return text.isEmpty ? program.ending : text
    }

    /// Loads a URL, and prints what happened. This is what the app does.
    static func printStatus(of url: String) async {
        do {
            let provider = ServiceProvider<Endpoint>()
            let response = try await provider.response(
                service: Endpoint(baseURL: url, timeout: 20))
            print("status \(response.statusCode)")
        } catch ServiceError.transport(let error) {
            print("URLError \(error.code.rawValue)")
        } catch {
            print("'\(error)'")
        }
    }
}
