// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Whether ThreadSanitizer is on, which makes everything several times slower.
public let isUnderThreadSanitizer = hasSymbol("__tsan_init")

/// Whether AddressSanitizer is on, which makes stack frames larger and keeps freed memory for a while.
public let isUnderAddressSanitizer = hasSymbol("__asan_init")

private func hasSymbol(_ name: String) -> Bool {
    #if canImport(Darwin)
    // RTLD_DEFAULT, a macro that Swift doesn't import.
    let anywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
    let anywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(anywhere, name) != nil
}
