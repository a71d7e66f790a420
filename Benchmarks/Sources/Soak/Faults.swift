// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// The servers of `.ci/soak --faults`: one that speaks HTTP/2 and misbehaves on purpose, and one
/// behind a network that loses, delays and reorders packets.
enum Faults {
    static let http2 = variable("HTTP2_SERVER")
    static let far = variable("NETWORK_SERVER")
    /// A libcurl with HTTP/2, and the authority of the HTTP/2 server's certificate.
    static let library = variable("LIBCURL")
    static let authority = variable("HTTP2_AUTHORITY").map { URL(fileURLWithPath: $0) }
    /// The file that the server behind the network sends, and expects in uploads.
    static let file = variable("NETWORK_FOLDER").map {
        URL(fileURLWithPath: $0).appendingPathComponent("32768")
    }

    private static let networks = [
        "good", "loss1", "loss5", "delay", "reordering", "outage", "train",
    ]

    /// Chooses the network for a round.
    static func useNetwork(
        _ round: Int, _ provider: ServiceProvider<SoakService>
    ) async throws {
        guard let control = variable("NETWORK_CONTROL") else { return }
        let name = networks[round % networks.count]
        let service = SoakService(baseURL: control, path: "/use/\(name)")
        _ = try await provider.load(service: service)
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }
}
