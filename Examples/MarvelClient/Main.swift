// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

@main struct Main {
    static func main() async {
        Terminal.ignoreBrokenPipes()
        let call = Task { try await run(Array(CommandLine.arguments.dropFirst())) }
        let interrupt = Terminal.onInterrupt { call.cancel() }
        let status = exitStatus(of: await call.result)
        interrupt.cancel()
        exit(status)
    }

    private static func run(_ arguments: [String]) async throws {
        let command = try Command(arguments)
        if case .gateway(let isSilent, let throttled) = command.action {
            try await LocalGateway.serve(
                isSilent: isSilent, throttled: throttled, write: Terminal.write)
        }
        // Otherwise curl would use a configured proxy even for the mock server inside this program.
        if command.baseURL == nil { setenv("no_proxy", "127.0.0.1", 1) }
        let environment = ProcessInfo.processInfo.environment
        let program = Program(
            environment: environment, width: Terminal.width(environment: environment),
            progressBar: Terminal.progressBar(environment: environment), tell: Terminal.tell)
        try await program.run(command, write: Terminal.write)
    }

    /// The exit status: 64 for wrong arguments, as in `sysexits.h`, and 130 after Ctrl-C, as in
    /// shells.
    private static func exitStatus(of result: Result<Void, any Error>) -> Int32 {
        do {
            try result.get()
            return 0
        } catch is Terminal.NoReader {
            return 0
        } catch is CancellationError, ServiceError.cancelled {
            return 130
        } catch {
            let isFoundations = error is LocalizedError || error is CocoaError
            Terminal.complain(isFoundations ? error.localizedDescription : "\(error)")
            return error is UsageError ? 64 : 1
        }
    }
}
