// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// As much of RxSwift as code in the style of RxMoya needs. Values are passed on immediately.

public protocol Disposable {
    func dispose()
}

public enum Disposables {
    public static func create(with action: @escaping () -> Void) -> any Disposable {
        Action(dispose: action)
    }

    private struct Action: Disposable {
        let action: () -> Void
        init(dispose action: @escaping () -> Void) { self.action = action }
        func dispose() { action() }
    }
}

public enum Event<Element> {
    case next(Element)
    case error(any Error)
    case completed
}

public struct AnyObserver<Element> {
    let handle: (Event<Element>) -> Void
    public func onNext(_ element: Element) { handle(.next(element)) }
    public func onError(_ error: any Error) { handle(.error(error)) }
    public func onCompleted() { handle(.completed) }
}

public protocol ObservableType<Element> {
    associatedtype Element
    func subscribe(_ handle: @escaping (Event<Element>) -> Void) -> any Disposable
}

public final class Observable<Element>: ObservableType {
    private let start: (AnyObserver<Element>) -> any Disposable

    private init(_ start: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.start = start
    }

    public static func create(
        _ start: @escaping (AnyObserver<Element>) -> any Disposable
    ) -> Observable { Observable(start) }

    public func subscribe(_ handle: @escaping (Event<Element>) -> Void) -> any Disposable {
        start(AnyObserver(handle: handle))
    }
}

extension ObservableType {
    public func map<Value>(
        _ transform: @escaping (Element) throws -> Value
    ) -> Observable<Value> {
        Observable.create { observer in
            self.subscribe { event in
                switch event {
                case .next(let element):
                    do {
                        observer.onNext(try transform(element))
                    } catch {
                        observer.onError(error)
                    }
                case .error(let error): observer.onError(error)
                case .completed: observer.onCompleted()
                }
            }
        }
    }

    public func scan<Value>(
        _ start: Value, accumulator: @escaping (Value, Element) -> Value
    ) -> Observable<Value> {
        var value = start
        return map { element in
            value = accumulator(value, element)
            return value
        }
    }
}

/// One value, or an error.
public struct Single<Element> {
    public typealias Observer = (Result<Element, any Error>) -> Void
    private let start: (@escaping Observer) -> any Disposable

    public static func create(
        subscribe start: @escaping (@escaping Observer) -> any Disposable
    ) -> Single { Single(start: start) }

    @discardableResult
    public func subscribe(_ observer: @escaping Observer) -> any Disposable { start(observer) }

    public func map<Value>(_ transform: @escaping (Element) throws -> Value) -> Single<Value> {
        Single<Value>.create { observer in
            self.subscribe { result in
                observer(Result { try transform(result.get()) })
            }
        }
    }
}

public struct Reactive<Base> {
    public let base: Base
}

public protocol ReactiveCompatible {
    associatedtype ReactiveBase
    var rx: Reactive<ReactiveBase> { get }
}

extension ReactiveCompatible {
    public var rx: Reactive<Self> { Reactive(base: self) }
}
