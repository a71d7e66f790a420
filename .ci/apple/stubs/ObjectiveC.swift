// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The root of Apple's classes. Written by hand: see README.md.

@_exported import ObjectiveC
extension NSObject: Swift.Equatable, Swift.Hashable {
    public static func == (lhs: NSObject, rhs: NSObject) -> Swift.Bool
    public func hash(into hasher: inout Swift.Hasher)
    public var hashValue: Swift.Int { get }
}
extension NSObject: Swift.CVarArg {
    public var _cVarArgEncoding: [Swift.Int] { get }
}
extension NSObject: Swift.CustomStringConvertible, Swift.CustomDebugStringConvertible {
    public var description: Swift.String { get }
    public var debugDescription: Swift.String { get }
}

public struct Selector: Swift.Hashable {
    public init(_ str: Swift.String)
    public static func == (lhs: Selector, rhs: Selector) -> Swift.Bool
    public func hash(into hasher: inout Swift.Hasher)
}
