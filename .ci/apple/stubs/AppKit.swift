// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The part of AppKit that Examples/HeroApp uses. Written by hand: see README.md. Only macOS has it.

import Foundation

#if os(macOS)
open class NSImage: NSObject, @unchecked Sendable {
    public init?(data: Data)
}

@MainActor open class NSApplication: NSObject {
    public enum ActivationPolicy: Int, Sendable {
        case regular = 0
        case accessory = 1
        case prohibited = 2
    }
    open class var shared: NSApplication { get }
    @discardableResult open func setActivationPolicy(_ activationPolicy: ActivationPolicy) -> Bool
    @available(macOS 14.0, *)
    open func activate()
}
#endif
