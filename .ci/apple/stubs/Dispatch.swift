// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of Dispatch that the project uses. Written by hand: see README.md.

import ObjectiveC

open class DispatchObject: NSObject {
    open func activate()
    open func resume()
    open func suspend()
}

open class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64)
        public static let concurrent: Attributes
        @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, *)
        public static let initiallyInactive: Attributes
    }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
    public class var main: DispatchQueue { get }
    @available(macOS 10.10, iOS 8.0, *)
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil)
    @preconcurrency public func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void)
    @preconcurrency public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void)
    public func sync<T>(execute work: () throws -> T) rethrows -> T
    public var label: String { get }
}

public struct DispatchQoS: Equatable, Sendable {
    public static let unspecified: DispatchQoS
    public static let background: DispatchQoS
    @available(macOS 10.10, iOS 8.0, *)
    public enum QoSClass: Sendable {
        case background, utility, `default`, userInitiated, userInteractive, unspecified
    }
    public static func == (a: DispatchQoS, b: DispatchQoS) -> Bool
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt)
}

open class DispatchGroup: DispatchObject, @unchecked Sendable {
    public init()
    public func enter()
    public func leave()
    @available(*, noasync, message: "Use a TaskGroup instead")
    public func wait()
    @available(*, noasync, message: "Use a TaskGroup instead")
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult
}

public enum DispatchTimeoutResult: Sendable { case success, timedOut }
open class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int)
    @available(*, noasync, message: "Await a Task handle instead")
    public func wait()
    @available(*, noasync, message: "Await a Task handle instead")
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult
    @discardableResult public func signal() -> Int
}

public struct DispatchTime: Comparable, Sendable {
    public let rawValue: UInt64
    public static func now() -> DispatchTime
    public init(uptimeNanoseconds: UInt64)
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool
    public static func == (a: DispatchTime, b: DispatchTime) -> Bool
}
public func + (time: DispatchTime, seconds: Double) -> DispatchTime
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime
public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int); case never
}

open class DispatchSource: DispatchObject, @unchecked Sendable {
    public struct TimerFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt)
        public static let strict: TimerFlags
    }
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer
    public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead
}

@objc public protocol DispatchSourceProtocol: NSObjectProtocol {
    func cancel()
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, *)
    func activate()
    func resume()
    func suspend()
}

@objc public protocol DispatchSourceTimer: DispatchSourceProtocol {}
@objc public protocol DispatchSourceSignal: DispatchSourceProtocol {}
@objc public protocol DispatchSourceRead: DispatchSourceProtocol {}
extension DispatchSourceProtocol {
    public typealias DispatchSourceHandler = @convention(block) () -> Void
    public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: DispatchSourceHandler?)
    public func setCancelHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: DispatchSourceHandler?)
}
extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0))
}

public final class DispatchSpecificKey<T>: @unchecked Sendable {
    public init()
}
extension DispatchQueue {
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T?
    public func setSpecific<T: Sendable>(key: DispatchSpecificKey<T>, value: T?)
}

public enum DispatchPredicate {
    case onQueue(DispatchQueue); case onQueueAsBarrier(DispatchQueue);
    case notOnQueue(DispatchQueue)
}
public func dispatchMain() -> Never { fatalError() }
public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate)
