// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of PhotosUI that Examples/HeroApp uses. Written by hand: see README.md.

import CoreTransferable
import Foundation
import SwiftUI

@available(macOS 13.0, iOS 16.0, watchOS 9.0, *)
@available(tvOS, unavailable)
public struct PHPickerFilter: Equatable, Hashable, Sendable {
    public static let images: PHPickerFilter
    public func hash(into hasher: inout Hasher)
    public static func == (a: PHPickerFilter, b: PHPickerFilter) -> Bool
}

@available(macOS 13.0, iOS 16.0, watchOS 9.0, *)
@available(tvOS, unavailable)
public struct PhotosPickerItem: Equatable, Hashable, Sendable {
    public struct EncodingDisambiguationPolicy: Equatable, Hashable, Sendable {
        public static let automatic: EncodingDisambiguationPolicy
        public func hash(into hasher: inout Hasher)
        public static func == (a: EncodingDisambiguationPolicy, b: EncodingDisambiguationPolicy) -> Bool
    }
    public func loadTransferable<T: Transferable>(type: T.Type) async throws -> T?
    public func hash(into hasher: inout Hasher)
    public static func == (a: PhotosPickerItem, b: PhotosPickerItem) -> Bool
}

@available(macOS 13.0, iOS 16.0, watchOS 9.0, *)
@available(tvOS, unavailable)
@MainActor @preconcurrency public struct PhotosPicker<Label: View>: View {
    public var body: Never { get }
}

@available(macOS 13.0, iOS 16.0, watchOS 9.0, *)
@available(tvOS, unavailable)
extension PhotosPicker where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil,
        preferredItemEncoding: PhotosPickerItem.EncodingDisambiguationPolicy = .automatic)
}
