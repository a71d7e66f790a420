// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Tries one behavior that the documentation promises, over a real connection.
struct Probe: Sendable {
    let name: String
    /// The probe's process is killed after this many seconds.
    let limit: TimeInterval
    /// The documentation's statement about a transport.
    let promise: @Sendable (Setting) -> String
    let run: @Sendable (Setting) async throws -> Finding

    static let all: [Probe] = [
        .uploadMemory, .slowReader, .cachedRedirect, .truncatedUpload, .redirectCookie,
        .basicChallenge, .appTransportSecurity, .cancelStorm, .mainThread, .relaunch,
    ]

    /// Runs the probe, and returns the line of the report.
    func line(_ setting: Setting) async -> String {
        let name = "\(name), \(setting.transport.title)"
        do {
            switch try await run(setting) {
            case .seen(let text, asDocumented: true): return "held: \(name): \(text)"
            case .seen(let text, asDocumented: false):
                return "differs: \(name): \(text). Documented: \(promise(setting))"
            case .notTried(let reason): return "not tried: \(name): \(reason)"
            }
        } catch {
            return "differs: \(name): it failed with: \(error)"
        }
    }
}

/// The result of a probe.
enum Finding: Sendable {
    /// The behavior that was seen, and whether the documentation says the same.
    case seen(String, asDocumented: Bool)
    /// Why the probe can't run here.
    case notTried(String)
}
