// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of SwiftUI that Examples/HeroApp uses. Written by hand: see README.md.
// All of it has the availability of its newest part, ContentUnavailableView.

// The SDK's SwiftUI exports only a part of Foundation, so the app must import the rest.
@_exported import CoreFoundation
import Foundation
#if os(macOS)
import AppKit
#else
import UIKit
#endif
import UniformTypeIdentifiers

// MARK: - Apps

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension App {
    @MainActor @preconcurrency public static func main()
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content)
    public var body: Never { get }
}

// MARK: - State

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@propertyWrapper public struct State<Value> {
    public init(wrappedValue value: Value)
    public init(initialValue value: Value)
    public var wrappedValue: Value { get nonmutating set }
    public var projectedValue: Binding<Value> { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension State: Sendable where Value: Sendable {}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public var wrappedValue: Value { get nonmutating set }
    public var projectedValue: Binding<Value> { get }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { get }
    public static func constant(_ value: Value) -> Binding<Value>
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Binding: @unchecked Sendable where Value: Sendable {}

// MARK: - Views

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Never: View, Scene {
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Optional: View where Wrapped: View {
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content
    public static func buildBlock() -> EmptyView
    public static func buildBlock<Content: View>(_ content: Content) -> Content
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
    public static func buildIf<Content: View>(_ content: Content?) -> Content?
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B>
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B>
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct EmptyView: View {
    nonisolated public init()
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct TupleView<T>: View {
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct _ConditionalContent<A: View, B: View>: View {
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading: HorizontalAlignment
    public static let center: HorizontalAlignment
    public static func == (a: HorizontalAlignment, b: HorizontalAlignment) -> Bool
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct VerticalAlignment: Equatable, Sendable {
    public static let center: VerticalAlignment
    public static func == (a: VerticalAlignment, b: VerticalAlignment) -> Bool
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct Alignment: Equatable, Sendable {
    public static let center: Alignment
    public static func == (a: Alignment, b: Alignment) -> Bool
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct VStack<Content: View>: View {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct HStack<Content: View>: View {
    nonisolated public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct ZStack<Content: View>: View {
    nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content)
    public var body: Never { get }
}

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(_ value: String)
    public init(stringLiteral value: String)
    public static func == (a: LocalizedStringKey, b: LocalizedStringKey) -> Bool
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct Text: View, Sendable {
    nonisolated public init(_ key: LocalizedStringKey)
    nonisolated public init(verbatim content: String)
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S)
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct Image: View, Sendable {
    nonisolated public init(systemName: String)
    #if os(macOS)
    nonisolated public init(nsImage: NSImage)
    #else
    nonisolated public init(uiImage: UIImage)
    #endif
    nonisolated public func resizable() -> Image
    public var body: Never { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct Label<Title: View, Icon: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Label {
    nonisolated public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon)
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Label where Title == Text, Icon == Image {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String)
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, systemImage name: String)
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct Button<Label: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Button where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void)
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct BorderlessButtonStyle: PrimitiveButtonStyle {
    nonisolated public init()
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    @MainActor @preconcurrency public static var borderless: BorderlessButtonStyle { get }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension ProgressView where CurrentValueLabel == EmptyView {
    nonisolated public init() where Label == EmptyView
    nonisolated public init(_ titleKey: LocalizedStringKey) where Label == Text
    nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) where Label == EmptyView
    nonisolated public init<V: BinaryFloatingPoint>(
        _ titleKey: LocalizedStringKey, value: V?, total: V = 1.0) where Label == Text
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension ContentUnavailableView {
    nonisolated public init(
        @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
        @ViewBuilder actions: () -> Actions = { EmptyView() })
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension ContentUnavailableView
where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
    nonisolated public init(_ title: LocalizedStringKey, systemImage name: String, description: Text? = nil)
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension ContentUnavailableView where Label == Text, Description == Text, Actions == EmptyView {
    nonisolated public static func search(text: String) -> ContentUnavailableView
}

// MARK: - Lists and navigation

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension List where SelectionValue == Never {
    nonisolated public init(@ViewBuilder content: () -> Content)
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension ForEach: View where Content: View {
    public var body: Never { get }
    nonisolated public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct Section<Parent, Content, Footer> {}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Section: View where Parent: View, Content: View, Footer: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    nonisolated public init(@ViewBuilder content: () -> Content)
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension Section where Parent == Text, Content: View, Footer == EmptyView {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content)
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct NavigationStack<Data, Root: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct NavigationPath {}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension NavigationStack where Data == NavigationPath {
    nonisolated public init(@ViewBuilder root: () -> Root)
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor @preconcurrency public struct NavigationLink<Label: View, Destination: View>: View {
    public var body: Never { get }
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension NavigationLink where Destination == Never {
    nonisolated public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label)
}
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension NavigationLink where Label == Text, Destination == Never {
    nonisolated public init<P: Hashable>(_ titleKey: LocalizedStringKey, value: P?)
    @_disfavoredOverload nonisolated public init<S: StringProtocol, P: Hashable>(_ title: S, value: P?)
}

// MARK: - Modifiers

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore: AccessibilityChildBehavior
    public static let combine: AccessibilityChildBehavior
    public func hash(into hasher: inout Hasher)
    public static func == (a: AccessibilityChildBehavior, b: AccessibilityChildBehavior) -> Bool
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
extension View {
    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View

    nonisolated public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View

    nonisolated public func scaledToFit() -> some View

    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View

    nonisolated public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View

    nonisolated public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View

    @_disfavoredOverload nonisolated public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View

    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some View

    nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View

    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View

    nonisolated public func navigationTitle(_ title: Text) -> some View

    nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View

    @_disfavoredOverload nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View

    nonisolated public func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C) -> some View

    nonisolated public func searchable(text: Binding<String>, prompt: LocalizedStringKey) -> some View

    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View

    // Newer SDKs don't say `@Sendable`, and older ones don't say `sending` and `@isolated(any)`. Code must fit both.
    nonisolated public func task(
        name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        @_inheritActorContext _ action: sending @escaping @isolated(any) @Sendable () async -> Void) -> some View

    nonisolated public func task<T: Equatable>(
        id: T, name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        @_inheritActorContext _ action: sending @escaping @isolated(any) @Sendable () async -> Void) -> some View

    @available(tvOS, unavailable)
    @available(watchOS, unavailable)
    nonisolated public func fileImporter(
        isPresented: Binding<Bool>, allowedContentTypes: [UTType],
        onCompletion: @escaping (Result<URL, any Error>) -> Void) -> some View
}
