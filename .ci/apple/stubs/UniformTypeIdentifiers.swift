// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of UniformTypeIdentifiers that the project uses. Written by hand: see README.md.

@available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, *)
public struct UTType: Hashable, Sendable {
    public static func == (a: UTType, b: UTType) -> Bool
    public func hash(into hasher: inout Hasher)
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data)
    public var preferredMIMEType: String? { get }
    public static var data: UTType { get }
    public static var image: UTType { get }
}
