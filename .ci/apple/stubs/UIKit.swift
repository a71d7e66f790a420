// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The part of UIKit that Examples/HeroApp uses. Written by hand: see README.md. macOS doesn't have it.

import Foundation

#if !os(macOS)
open class UIImage: NSObject, @unchecked Sendable {
    public init?(data: Data)
}
#endif
