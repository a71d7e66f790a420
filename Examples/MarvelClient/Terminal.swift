// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Standard output and error, the size of the window, and Ctrl-C.
enum Terminal {
    /// Nobody reads standard output any more, as behind `| head`.
    struct NoReader: Error {}

    struct WriteError: Error, CustomStringConvertible {
        let code: Int32
        var description: String {
            "Standard output cannot be written: \(String(cString: strerror(code)))."
        }
    }

    /// Writes to standard output; nothing else does.
    ///
    /// - Throws: ``NoReader`` or ``WriteError``.
    static func write(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

    /// Writes one line to standard error. Where that fails, there is nobody left to tell.
    static func complain(_ text: String) {
        try? write("Error: \(text.printable)\n", to: STDERR_FILENO)
    }

    /// Writes lines to standard error that nobody has to see.
    static func tell(_ text: String) { try? write(text + "\n", to: STDERR_FILENO) }

    /// A bar on standard error; nil where that is no terminal, since a file would keep all of it.
    static func progressBar(environment: [String: String]) -> ProgressBar? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        let width = width(environment: environment, of: STDERR_FILENO)
        return ProgressBar(width: width) { try? write($0, to: STDERR_FILENO) }
    }

    private static func write(_ text: String, to descriptor: Int32) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            let code = errno
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if code == EPIPE {
                throw NoReader()
            } else if code != EINTR {
                throw WriteError(code: code)
            }
        }
    }

    /// How many columns there are: as COLUMNS says, or the window, or else 80.
    static func width(
        environment: [String: String], of descriptor: Int32 = STDOUT_FILENO
    ) -> Int {
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        let isWindow = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        return isWindow && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Lets writes to a closed pipe fail, instead of ending the program.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Runs `action` at the first Ctrl-C; a second one ends the program the usual way.
    ///
    /// - Returns: What has to be kept for as long as this should hold.
    static func onInterrupt(
        _ action: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            action()
        }
        source.resume()
        return source
    }
}
