// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A system call failed while a server was starting.
///
/// Usually the process has run out of file descriptors, or isn't allowed to open sockets.
public struct LoopbackError: Error, CustomStringConvertible, Sendable {
    /// The call that failed, such as "bind".
    public let call: String
    /// The value of `errno` after it.
    public let code: Int32
    /// The system's text for that value, such as "Too many open files".
    public var reason: String { strerror(code).map { String(cString: $0) } ?? "unknown error" }

    /// The call, the reason and the number on one line.
    public var description: String { "\(call): \(reason) (errno \(code))" }
}
