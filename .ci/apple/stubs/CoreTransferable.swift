// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of CoreTransferable that Examples/HeroApp uses. Written by hand: see README.md.

import Foundation
import UniformTypeIdentifiers

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
public protocol Transferable {
    associatedtype Representation: TransferRepresentation
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
public protocol TransferRepresentation: Sendable {
    associatedtype Item: Transferable
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
@resultBuilder public struct TransferRepresentationBuilder<Item: Transferable> {
    public static func buildExpression<Content: TransferRepresentation>(_ content: Content) -> Content
    where Item == Content.Item
    public static func buildBlock<Content: TransferRepresentation>(_ content: Content) -> Content
    where Item == Content.Item
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
public struct ReceivedTransferredFile: Sendable {
    public let file: URL
    public let isOriginalFile: Bool
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)
public struct FileRepresentation<Item: Transferable>: TransferRepresentation {
    public init(
        importedContentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item)
}
