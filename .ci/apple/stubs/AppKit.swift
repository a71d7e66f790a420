// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The part of AppKit that Examples/HeroApp uses. Written by hand: see README.md. Only macOS has it.

import Foundation

#if os(macOS)
open class NSImage: NSObject, @unchecked Sendable {
    public init?(data: Data)
}
#endif
