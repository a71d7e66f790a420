// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What the process holds; nil where the system does not tell in this way.
enum Process {
    static var descriptors: Int? { entries("/proc/self/fd") }

    static var threads: Int? { entries("/proc/self/task") }

    static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            return nil
        }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }

    private static func entries(_ path: String) -> Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.count
    }
}

/// A value that several threads wait for and change.
final class Shared<Value: Sendable>: @unchecked Sendable {
    // Unchecked, because the value is used under the condition's lock only.
    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func change(_ change: (inout Value) -> Void) {
        condition.withLock {
            change(&value)
            condition.broadcast()
        }
    }

    /// Waits for the value to be as wanted; false after a minute.
    func wait(until isWanted: (Value) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        return condition.withLock {
            while !isWanted(value) {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }
}

func seconds(_ work: () throws -> Void) rethrows -> TimeInterval {
    let start = ProcessInfo.processInfo.systemUptime
    try work()
    return ProcessInfo.processInfo.systemUptime - start
}

/// Whether AddressSanitizer is on, which keeps freed memory for a while.
let isUnderAddressSanitizer: Bool = {
    #if canImport(Darwin)
    // RTLD_DEFAULT, a macro that Swift doesn't import.
    let anywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
    let anywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(anywhere, "__asan_init") != nil
}()
