// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import ServiceProviderTesting

#if os(Linux)
import CurlTransport
#endif

extension ServiceProvider<MarvelService> {
    /// Creates the provider for a command.
    ///
    /// - Throws: The error of a file or a transport that can't be used.
    convenience init(
        _ command: Command, _ recording: Recording?, log: @escaping @Sendable (String) -> Void
    ) throws {
        let transport = try Self.transport(named: command.transport)
        let curl = ServiceObserver { event in
            if case .started(let request) = event { log(request.curl) }
        }
        // The first interceptor is the outermost. The log is outside the retries, so it has one
        // entry for each call. The ones inside the retries are called for each attempt.
        // The recorder replaces its file, so it is created when nothing else can fail.
        let interceptors: [(any ServiceInterceptor)?] = [
            command.isVerbose ? ServiceLog(.headers, write: log) : nil,
            ServiceDeadline(command.deadline),
            ServiceRetry(),
            command.showsCURL ? curl : nil,
            try command.record.map { try ServiceRecorder(file: URL(fileURLWithPath: $0)) },
            try recording.map { try ServiceReplay(data: $0.data) },
        ]
        self.init(transport: transport, interceptors: interceptors.compactMap { $0 })
    }

    private static func transport(named name: String) throws -> any ServiceTransport {
        switch name {
        case "urlsession": return URLSessionTransport.shared
        #if os(Linux)
        case "curl": return try CurlTransport()
        #endif
        default:
            let names = "'urlsession' or, on Linux, 'curl'"
            throw UsageError(reason: "'--transport' must be \(names), not '\(name)'")
        }
    }
}
