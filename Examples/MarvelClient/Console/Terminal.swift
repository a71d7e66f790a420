// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Standard output, standard error and the window size.
enum Terminal {
    /// The reader of standard output has closed the pipe, as `| head` does.
    struct NoReader: Error {}

    struct WriteError: Error, CustomStringConvertible {
        let code: Int32
        var description: String {
            "Can't write to standard output: \(String(cString: strerror(code)))."
        }
    }

    /// A progress bar on standard error. Nil if that isn't a terminal, because a file would keep
    /// every state of the bar.
    static func progressBar(environment: [String: String]) -> ProgressBar? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        let width = width(environment: environment, of: STDERR_FILENO)
        return ProgressBar(width: width) { try? write($0, to: STDERR_FILENO) }
    }

    /// Writes to standard output or standard error.
    ///
    /// - Throws: ``NoReader`` or ``WriteError``.
    static func write(_ text: String, to descriptor: Int32) throws {
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
            } else if code == EAGAIN {
                // A pipe that doesn't block: wait until its reader has made room.
                var pipe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&pipe, 1, -1)
            } else if code != EINTR {
                throw WriteError(code: code)
            }
        }
    }

    /// The width in columns: the value of COLUMNS up to 1,000, or the window's width, or 80.
    static func width(environment: [String: String], of descriptor: Int32) -> Int {
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return min(columns, 1_000)
        }
        var size = winsize()
        let isWindow = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
        return isWindow && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Whether the environment allows bold text and colors on a terminal.
    ///
    /// Any value of NO_COLOR except an empty one forbids them (https://no-color.org).
    static func allowsStyles(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Makes writes to a closed pipe fail instead of ending the program.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Opens the standard descriptors that are closed, as after `>&-`. Otherwise a socket could get the
    /// number of standard output. Writing to them fails.
    static func openClosedDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The new descriptor is the lowest one that is closed.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
