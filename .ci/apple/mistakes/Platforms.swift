// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Compiles, but some of Apple's platforms don't have the marked declarations.

import Foundation

#if os(macOS) || os(iOS)
public func load() {}  // FINDS isn't on tvOS, watchOS, visionOS: Platforms.swift, public func load() {}
#endif

#if canImport(UIKit)
@MainActor public final class Screen {  // FINDS isn't on macOS: Platforms.swift, @MainActor public final class Screen {
    public init() {}  // FINDS isn't on macOS: Platforms.swift, public init() {}
}
#endif

#if !os(watchOS)
extension URL {
    public var isPicture: Bool { pathExtension == "png" }  // FINDS isn't on watchOS: Platforms.swift, public var isPicture
}
#endif

#if os(macOS)
public let name = "Mac"  // FINDS isn't on iOS, tvOS, watchOS, visionOS: Platforms.swift, public let name = "Mac"
#else
public let name = "phone"  // FINDS isn't on macOS: Platforms.swift, public let name = "phone"
#endif

#if os(Linux)
public func onlyOnLinux() {}
#elseif canImport(Darwin)
public func onAllOfApplesPlatforms() {}
func prints() {
    #if os(macOS)
    print("Mac")
    #endif
}
#endif
