// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of Apple's Foundation that the project uses and swift-foundation doesn't have.
// Written by hand: see README.md.

@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch
@_exported import FoundationEssentials
@_exported import ObjectiveC

// MARK: - Objects

open class NSString: NSObject {
    public override init()
}

open class NSData: NSObject {
    public override init()
}

open class NSURL: NSObject, @unchecked Sendable {
    public override init()
}

open class NSError: NSObject, @unchecked Sendable {
    public init(domain: String, code: Int, userInfo dict: [String: Any]? = nil)
    open var domain: String { get }
    open var code: Int { get }
    open var userInfo: [String: Any] { get }
    open var localizedDescription: String { get }
}
extension NSError: Error {}
open class NSURLRequest: NSObject {}
open class NSArray: NSObject {}
open class NSDictionary: NSObject, ExpressibleByDictionaryLiteral {
    public required convenience init(dictionaryLiteral elements: (Any, Any)...)
}
open class NSDate: NSObject, @unchecked Sendable {}
open class NSUUID: NSObject, @unchecked Sendable {}
open class NSNull: NSObject, @unchecked Sendable {
    public override init()
}

open class NSValue: NSObject {
    open var objCType: UnsafePointer<CChar> { get }
}

open class NSNumber: NSValue, @unchecked Sendable {
    public required init(integerLiteral value: Int)
    public required init(floatLiteral value: Double)
    public required init(booleanLiteral value: Bool)
    public init(value: Int8)
    public init(value: UInt8)
    public init(value: Int16)
    public init(value: UInt16)
    public init(value: Int32)
    public init(value: UInt32)
    public init(value: Int64)
    public init(value: UInt64)
    public init(value: Int)
    public init(value: UInt)
    public init(value: Float)
    public init(value: Double)
    public init(value: Bool)
    open var int64Value: Int64 { get }
    open var intValue: Int { get }
    open var uint32Value: UInt32 { get }
    open var uint64Value: UInt64 { get }
    open var boolValue: Bool { get }
    open var doubleValue: Double { get }
    open var stringValue: String { get }
    open var decimalValue: Decimal { get }
}
extension NSNumber: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{}
open class NSDecimalNumber: NSNumber, @unchecked Sendable {
    public required init(integerLiteral value: Int)
    public required init(floatLiteral value: Double)
    public required init(booleanLiteral value: Bool)
    public init(decimal: Decimal)
    public convenience init(string: String?)
    open class var notANumber: NSDecimalNumber { get }
}

extension _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> _ObjectiveCType
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?)
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self
}
extension String: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSString }
extension Data: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSData }
extension URL: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSURL }
extension URLRequest: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSURLRequest }
extension Date: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDate }
extension UUID: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSUUID }
extension Array: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSArray }
extension Dictionary: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSDictionary }
extension Int: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }
extension Bool: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }
extension Double: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }
extension Int64: _ObjectiveCBridgeable { public typealias _ObjectiveCType = NSNumber }

// MARK: - Errors

public let NSLocalizedDescriptionKey: String
public let NSUnderlyingErrorKey: String
public let NSURLErrorFailingURLErrorKey: String
public let NSURLErrorDomain: String
public let NSURLErrorCancelled: Int
public let NSURLErrorTimedOut: Int
public let NSCocoaErrorDomain: String
public let NSPOSIXErrorDomain: String
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { get }
    public var failureReason: String? { get }
    public var recoverySuggestion: String? { get }
    public var helpAnchor: String? { get }
}
extension Error {
    public var localizedDescription: String { get }
}

public protocol CustomNSError: Error {
    static var errorDomain: String { get }; var errorCode: Int { get };
    var errorUserInfo: [String: Any] { get }
}
extension CustomNSError {
    public static var errorDomain: String { get }
    public var errorCode: Int { get }
    public var errorUserInfo: [String: Any] { get }
}

public struct URLError: CustomNSError, Hashable, Sendable {
    public init(_ code: Code, userInfo: [String: Any] = [:])
    public var code: Code { get }
    public var userInfo: [String: Any] { get }
    public var errorUserInfo: [String: Any] { get }
    public var failingURL: URL? { get }
    public var errorCode: Int { get }
    public static var errorDomain: String { get }
    public static func == (a: URLError, b: URLError) -> Bool
    public func hash(into hasher: inout Hasher)
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int)
    }
}
public func ~= (match: URLError.Code, error: any Error) -> Bool

// Both `URLError.timedOut` and `URLError.Code.timedOut`.
public protocol _URLErrorCodes {}
extension _URLErrorCodes {
    public static var unknown: URLError.Code { get }
    public static var cancelled: URLError.Code { get }
    public static var badURL: URLError.Code { get }
    public static var timedOut: URLError.Code { get }
    public static var unsupportedURL: URLError.Code { get }
    public static var cannotFindHost: URLError.Code { get }
    public static var cannotConnectToHost: URLError.Code { get }
    public static var networkConnectionLost: URLError.Code { get }
    public static var dnsLookupFailed: URLError.Code { get }
    public static var resourceUnavailable: URLError.Code { get }
    public static var notConnectedToInternet: URLError.Code { get }
    public static var badServerResponse: URLError.Code { get }
    public static var userAuthenticationRequired: URLError.Code { get }
    public static var userCancelledAuthentication: URLError.Code { get }
    public static var cannotDecodeRawData: URLError.Code { get }
    public static var cannotParseResponse: URLError.Code { get }
    public static var fileDoesNotExist: URLError.Code { get }
    public static var dataLengthExceedsMaximum: URLError.Code { get }
    public static var secureConnectionFailed: URLError.Code { get }
    public static var serverCertificateHasBadDate: URLError.Code { get }
    public static var serverCertificateUntrusted: URLError.Code { get }
    public static var serverCertificateHasUnknownRoot: URLError.Code { get }
    public static var serverCertificateNotYetValid: URLError.Code { get }
    public static var clientCertificateRejected: URLError.Code { get }
    public static var clientCertificateRequired: URLError.Code { get }
    public static var cannotLoadFromNetwork: URLError.Code { get }
    public static var cannotCreateFile: URLError.Code { get }
    public static var cannotOpenFile: URLError.Code { get }
    public static var cannotWriteToFile: URLError.Code { get }
    public static var cannotMoveFile: URLError.Code { get }
    public static var dataNotAllowed: URLError.Code { get }
    public static var requestBodyStreamExhausted: URLError.Code { get }
}
extension URLError: _URLErrorCodes {}
extension URLError.Code: _URLErrorCodes {}

extension Data {
    public func range(of dataToFind: Data, options: Data.SearchOptions = [], in range: Range<Int>? = nil) -> Range<Int>?
}

// MARK: - Locks and threads

public protocol NSLocking {
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    func lock()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    func unlock()
}
extension NSLocking {
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}

open class NSLock: NSObject, NSLocking, @unchecked Sendable {
    public override init()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func lock()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func unlock()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func `try`() -> Bool
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func lock(before limit: Date) -> Bool
}

open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
    public override init()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func lock()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func unlock()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func wait()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func wait(until limit: Date) -> Bool
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func signal()
    open func broadcast()
}

open class Thread: NSObject {
    public override init()
    @available(*, noasync, message: "Thread.current cannot be used from async contexts.")
    open class var current: Thread { get }
    public convenience init(block: @escaping @Sendable () -> Void)
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void)
    @available(*, noasync, message: "Use Task.sleep(until:clock:) instead.")
    open class func sleep(forTimeInterval ti: TimeInterval)
    @available(*, noasync, message: "Work intended for the main actor should be marked with @MainActor")
    open class var isMainThread: Bool { get }
    open var stackSize: Int { get set }
    open var name: String? { get set }
    open func start()
    open func cancel()
}

open class Progress: NSObject, @unchecked Sendable {
    public init(totalUnitCount unitCount: Int64)
    open var totalUnitCount: Int64 { get set }
    open var completedUnitCount: Int64 { get set }
    open var fractionCompleted: Double { get }
}

open class OperationQueue: NSObject, @unchecked Sendable {
    public override init()
    open var maxConcurrentOperationCount: Int { get set }
    open func addOperation(_ block: @escaping @Sendable () -> Void)
}

// MARK: - Files and streams

open class Stream: NSObject {
    public enum Status: UInt, Sendable {
        case notOpen, opening, open, reading, writing, atEnd, closed, error
        public init?(rawValue: UInt)
        public var rawValue: UInt { get }
    }
    // In the SDK, an option set, which only C can declare for Objective-C.
    @objc(NSStreamEvent) public enum Event: UInt, Sendable {
        case openCompleted = 1
        case hasBytesAvailable = 2
        case hasSpaceAvailable = 4
        case errorOccurred = 8
        case endEncountered = 16
        public init?(rawValue: UInt)
        public var rawValue: UInt { get }
    }
    open func open()
    open func close()
    unowned(unsafe) open var delegate: (any StreamDelegate)? { get set }
    open var streamStatus: Stream.Status { get }
    open var streamError: (any Error)? { get }
    open class func getBoundStreams(
        withBufferSize bufferSize: Int,
        inputStream: AutoreleasingUnsafeMutablePointer<InputStream?>?,
        outputStream: AutoreleasingUnsafeMutablePointer<OutputStream?>?)
}

@objc public protocol StreamDelegate: NSObjectProtocol {
    @objc(stream:handleEvent:) optional func stream(_ aStream: Stream, handle eventCode: Stream.Event)
}

// In the SDK, a class of Core Foundation that is bridged to `OutputStream`.
public typealias CFWriteStream = OutputStream
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchQueue!)

open class OutputStream: Stream {
    public init(toMemory: ())
    open func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int
    open var hasSpaceAvailable: Bool { get }
}

open class InputStream: Stream {
    public init(data: Data)
    public convenience init?(fileAtPath path: String)
    public init?(url: URL)
    open func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int
    open var hasBytesAvailable: Bool { get }
}

open class FileHandle: NSObject, @unchecked Sendable {
    public init(fileDescriptor fd: Int32, closeOnDealloc closeopt: Bool)
    public convenience init(fileDescriptor fd: Int32)
    public convenience init(forReadingFrom url: URL) throws
    public convenience init(forWritingTo url: URL) throws
    public convenience init(forUpdating url: URL) throws
    open class var standardError: FileHandle { get }
    open class var standardOutput: FileHandle { get }
    open class var standardInput: FileHandle { get }
    open class var nullDevice: FileHandle { get }
    open var fileDescriptor: Int32 { get }
    public func readToEnd() throws -> Data?
    public func read(upToCount count: Int) throws -> Data?
    public func write<T>(contentsOf data: T) throws where T: DataProtocol
    open func seek(toOffset offset: UInt64) throws
    open func truncate(atOffset offset: UInt64) throws
    open func synchronize() throws
    open func close() throws
    public func offset() throws -> UInt64
    @discardableResult
    public func seekToEnd() throws -> UInt64
    public convenience init?(forReadingAtPath path: String)
    public convenience init?(forWritingAtPath path: String)
}

public struct URLResourceKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String)
    public static let fileSizeKey: URLResourceKey
    public static let isRegularFileKey: URLResourceKey
    public static let isDirectoryKey: URLResourceKey
    public static let volumeAvailableCapacityForImportantUsageKey: URLResourceKey
}

public struct URLResourceValues: Sendable {
    public init()
    public var fileSize: Int? { get }
    public var isRegularFile: Bool? { get }
    public var isDirectory: Bool? { get }
}
extension URL {
    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues
    public func startAccessingSecurityScopedResource() -> Bool
    public func stopAccessingSecurityScopedResource()
}

// MARK: - Programs

open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { get }
    open var executableURL: URL? { get }
}

@available(iOS, unavailable)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@available(macCatalyst, unavailable)
open class Process: NSObject {
    public enum TerminationReason: Int, @unchecked Sendable {
        case exit = 1
        case uncaughtSignal = 2
    }
    public override init()
    open var executableURL: URL? { get set }
    open var arguments: [String]? { get set }
    open var standardInput: Any? { get set }
    open var standardOutput: Any? { get set }
    open var standardError: Any? { get set }
    open func run() throws
    open var processIdentifier: Int32 { get }
    open var isRunning: Bool { get }
    open var terminationStatus: Int32 { get }
    open var terminationReason: Process.TerminationReason { get }
}

// MARK: - Text, dates and JSON

open class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt)
        public static var fragmentsAllowed: ReadingOptions { get }
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt)
        public static var prettyPrinted: WritingOptions { get }
        public static var sortedKeys: WritingOptions { get }
        public static var fragmentsAllowed: WritingOptions { get }
        public static var withoutEscapingSlashes: WritingOptions { get }
    }
    open class func isValidJSONObject(_ obj: Any) -> Bool
    open class func data(withJSONObject obj: Any, options opt: WritingOptions = []) throws -> Data
    open class func jsonObject(with data: Data, options opt: ReadingOptions = []) throws -> Any
}

open class Formatter: NSObject {
    public override init()
}

open class DateFormatter: Formatter, @unchecked Sendable {
    public override init()
    open var locale: Locale! { get set }
    open var timeZone: TimeZone! { get set }
    open var dateFormat: String! { get set }
    open func date(from string: String) -> Date?
    open func string(from date: Date) -> String
}

extension JSONDecoder.DateDecodingStrategy {
    public static func formatted(_ formatter: DateFormatter) -> JSONDecoder.DateDecodingStrategy
}

public struct CharacterSet: Equatable, Hashable, SetAlgebra, Sendable {
    public typealias Element = Unicode.Scalar
    public init()
    public init(charactersIn string: String)
    public static var controlCharacters: CharacterSet { get }
    public var inverted: CharacterSet { get }
    public static var whitespaces: CharacterSet { get }
    public static var whitespacesAndNewlines: CharacterSet { get }
    public static var newlines: CharacterSet { get }
    public static var alphanumerics: CharacterSet { get }
    public static var urlQueryAllowed: CharacterSet { get }
    public func contains(_ member: Unicode.Scalar) -> Bool
    public func union(_ other: CharacterSet) -> CharacterSet
    public func intersection(_ other: CharacterSet) -> CharacterSet
    public func symmetricDifference(_ other: CharacterSet) -> CharacterSet
    @discardableResult public mutating func insert(_ c: Unicode.Scalar) -> (
        inserted: Bool, memberAfterInsert: Unicode.Scalar
    )
    @discardableResult public mutating func remove(_ c: Unicode.Scalar) -> Unicode.Scalar?
    @discardableResult public mutating func update(with c: Unicode.Scalar) -> Unicode.Scalar?
    public mutating func formUnion(_ other: CharacterSet)
    public mutating func formIntersection(_ other: CharacterSet)
    public mutating func formSymmetricDifference(_ other: CharacterSet)
    public static func == (a: CharacterSet, b: CharacterSet) -> Bool
    public func hash(into hasher: inout Hasher)
}
extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String
    public func components(separatedBy separator: CharacterSet) -> [String]
    public var removingPercentEncoding: String? { get }
    public var decomposedStringWithCanonicalMapping: String { get }
    public func replacingOccurrences<Target, Replacement>(
        of target: Target, with replacement: Replacement, options: String.CompareOptions = [],
        range searchRange: Range<Self.Index>? = nil
    ) -> String where Target: StringProtocol, Replacement: StringProtocol
    public func range<T>(
        of aString: T, options mask: String.CompareOptions = [],
        range searchRange: Range<Self.Index>? = nil, locale: Locale? = nil
    ) -> Range<Self.Index>? where T: StringProtocol
    public func contains<T>(_ other: T) -> Bool where T: StringProtocol
    public func compare<T>(
        _ aString: T, options mask: String.CompareOptions = [], range: Range<Self.Index>? = nil,
        locale: Locale? = nil
    ) -> ComparisonResult where T: StringProtocol
    public func padding<T>(toLength newLength: Int, withPad padString: T, startingAt padIndex: Int)
        -> String where T: StringProtocol
    public func addingPercentEncoding(withAllowedCharacters allowed: CharacterSet) -> String?
}
extension String {
    public init(format: String, _ arguments: any CVarArg...)
}

// MARK: - URL loading

public struct URLRequest: Equatable, Hashable, Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy
    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0)
    public var url: URL? { get set }
    public var cachePolicy: CachePolicy { get set }
    public var timeoutInterval: TimeInterval { get set }
    public var httpMethod: String? { get set }
    public var allHTTPHeaderFields: [String: String]? {
        get
        @available(*, deprecated, message: "on Apple platforms, it never removes a field")
        set
    }
    public func value(forHTTPHeaderField field: String) -> String?
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String)
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String)
    public var httpBody: Data? { get set }
    public var httpBodyStream: InputStream? { get set }
    public static func == (a: URLRequest, b: URLRequest) -> Bool
    public func hash(into hasher: inout Hasher)
}
extension NSURLRequest {
    public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy, reloadIgnoringLocalCacheData, returnCacheDataElseLoad
        case returnCacheDataDontLoad, reloadIgnoringLocalAndRemoteCacheData
        case reloadRevalidatingCacheData
        public static var reloadIgnoringCacheData: CachePolicy { get }
        public init?(rawValue: UInt)
        public var rawValue: UInt { get }
    }
}

open class URLResponse: NSObject, @unchecked Sendable {
    public init(
        url URL: URL, mimeType MIMEType: String?, expectedContentLength length: Int,
        textEncodingName name: String?)
    open var url: URL? { get }
    open var mimeType: String? { get }
    open var expectedContentLength: Int64 { get }
    open var suggestedFilename: String? { get }
}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?)
    open var statusCode: Int { get }
    open var allHeaderFields: [AnyHashable: Any] { get }
    open class func localizedString(forStatusCode statusCode: Int) -> String
    open func value(forHTTPHeaderField field: String) -> String?
}

open class HTTPCookie: NSObject, @unchecked Sendable {
    open class func cookies(withResponseHeaderFields headerFields: [String: String], for URL: URL) -> [HTTPCookie]
    open var name: String { get }
    open var value: String { get }
}

open class HTTPCookieStorage: NSObject, @unchecked Sendable {
    open class var shared: HTTPCookieStorage { get }
    open var cookies: [HTTPCookie]? { get }
    open func cookies(for URL: URL) -> [HTTPCookie]?
}

open class URLCache: NSObject, @unchecked Sendable {
    public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?)
    open class var shared: URLCache { get set }
}

open class URLCredential: NSObject, @unchecked Sendable {
    public enum Persistence: UInt, Sendable {
        case none, forSession, permanent, synchronizable
        public init?(rawValue: UInt)
        public var rawValue: UInt { get }
    }
    public init(user: String, password: String, persistence: URLCredential.Persistence)
    open var user: String? { get }
    open var password: String? { get }
}

open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var host: String { get }
    open var port: Int { get }
    open var realm: String? { get }
    open var authenticationMethod: String { get }
}
public let NSURLAuthenticationMethodHTTPBasic: String
public let NSURLAuthenticationMethodHTTPDigest: String
public let NSURLAuthenticationMethodServerTrust: String
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var protectionSpace: URLProtectionSpace { get }
    open var previousFailureCount: Int { get }
    open var error: (any Error)? { get }
}

open class URLProtocol: NSObject {
    public required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?)
    public convenience init(task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?)
    open var client: (any URLProtocolClient)? { get }
    open var request: URLRequest { get }
    open var task: URLSessionTask? { get }
    open class func canInit(with request: URLRequest) -> Bool
    open class func canInit(with task: URLSessionTask) -> Bool
    open class func canonicalRequest(for request: URLRequest) -> URLRequest
    open func startLoading()
    open func stopLoading()
    open class func registerClass(_ protocolClass: AnyClass) -> Bool
    open class func unregisterClass(_ protocolClass: AnyClass)
}

open class CachedURLResponse: NSObject, @unchecked Sendable {}
public protocol URLProtocolClient: NSObjectProtocol {
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
}
extension URLCache {
    public enum StoragePolicy: UInt, Sendable {
        case allowed, allowedInMemoryOnly, notAllowed
        public init?(rawValue: UInt)
        public var rawValue: UInt { get }
    }
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    @available(macOS, introduced: 10.9, deprecated: 10.15)
    @available(iOS, introduced: 7.0, deprecated: 13.0)
    @available(tvOS, introduced: 9.0, deprecated: 13.0)
    @available(watchOS, introduced: 2.0, deprecated: 6.0)
    @available(visionOS, introduced: 1.0, deprecated: 1.0)
    public override init()
    public enum State: Int, Sendable {
        case running, suspended, canceling, completed
        public init?(rawValue: Int)
        public var rawValue: Int { get }
    }
    open var taskIdentifier: Int { get }
    open var taskDescription: String? { get set }
    open var originalRequest: URLRequest? { get }
    open var currentRequest: URLRequest? { get }
    open var response: URLResponse? { get }
    open var delegate: (any URLSessionTaskDelegate)? { get set }
    open var error: (any Error)? { get }
    open var state: URLSessionTask.State { get }
    open var priority: Float { get set }
    public var countOfBytesSent: Int64 { get }
    open func cancel()
    open func suspend()
    open func resume()
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {
    @available(macOS, introduced: 10.9, deprecated: 10.15)
    @available(iOS, introduced: 7.0, deprecated: 13.0)
    @available(tvOS, introduced: 9.0, deprecated: 13.0)
    @available(watchOS, introduced: 2.0, deprecated: 6.0)
    @available(visionOS, introduced: 1.0, deprecated: 1.0)
    public override init()
}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { get }
    open class var ephemeral: URLSessionConfiguration { get }
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration
    open var identifier: String? { get }
    open var requestCachePolicy: NSURLRequest.CachePolicy { get set }
    open var timeoutIntervalForRequest: TimeInterval { get set }
    open var httpAdditionalHeaders: [AnyHashable: Any]? { get set }
    open var httpMaximumConnectionsPerHost: Int { get set }
    open var urlCache: URLCache? { get set }
    open var protocolClasses: [AnyClass]? { get set }
}

open class URLSession: NSObject, @unchecked Sendable {
    open class var shared: URLSession { get }
    public init(configuration: URLSessionConfiguration)
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?)
    open var delegateQueue: OperationQueue { get }
    open var delegate: (any URLSessionDelegate)? { get }
    open var configuration: URLSessionConfiguration { get }
    open func finishTasksAndInvalidate()
    open func invalidateAndCancel()
    open func dataTask(with request: URLRequest) -> URLSessionDataTask
    open func dataTask(with url: URL) -> URLSessionDataTask
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask
    open func downloadTask(with url: URL) -> URLSessionDownloadTask
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void)
    open func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask
    open func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask
    public func data(for request: URLRequest) async throws -> (Data, URLResponse)
    public func data(from url: URL)
        async throws -> (Data, URLResponse)
    public func data(for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil)
        async throws -> (Data, URLResponse)
    @objc public enum ResponseDisposition: Int, Sendable {
        case cancel, allow, becomeDownload, becomeStream
        public init?(rawValue: Int)
        public var rawValue: Int { get }
    }
    @objc public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading, useNewRequest, cancel
        public init?(rawValue: Int)
        public var rawValue: Int { get }
    }
    @objc public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge,
            rejectProtectionSpace
        public init?(rawValue: Int)
        public var rawValue: Int { get }
    }
}

open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { get }
    open var taskInterval: DateInterval { get }
    open var redirectCount: Int { get }
}

open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    open var request: URLRequest { get }
    open var response: URLResponse? { get }
    open var networkProtocolName: String? { get }
    open var isReusedConnection: Bool { get }
    open var fetchStartDate: Date? { get }
    open var requestStartDate: Date? { get }
    open var requestEndDate: Date? { get }
    open var responseStartDate: Date? { get }
    open var responseEndDate: Date? { get }
    open var domainLookupStartDate: Date? { get }
    open var domainLookupEndDate: Date? { get }
    open var connectStartDate: Date? { get }
    open var secureConnectionStartDate: Date? { get }
    open var secureConnectionEndDate: Date? { get }
    open var connectEndDate: Date? { get }
    open var countOfRequestHeaderBytesSent: Int64 { get }
    open var countOfRequestBodyBytesSent: Int64 { get }
    open var countOfResponseHeaderBytesReceived: Int64 { get }
    open var countOfResponseBodyBytesReceived: Int64 { get }
    open var remoteAddress: String? { get }
    open var remotePort: Int? { get }
    open var localPort: Int? { get }
}

// Two methods can't have one selector, so those of async variants start with "async".
@objc public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    @objc(URLSession:didBecomeInvalidWithError:) optional func urlSession(
        _ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    @objc(URLSession:didReceiveChallenge:completionHandler:) optional func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    @objc(asyncURLSession:didReceiveChallenge:completionHandler:) optional func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
    @available(macOS, unavailable)
    @objc(URLSessionDidFinishEventsForBackgroundURLSession:)
    optional func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

@objc public protocol URLSessionTaskDelegate: URLSessionDelegate {
    @available(macOS 13.0, iOS 16.0, watchOS 9.0, tvOS 16.0, *)
    @objc(URLSession:didCreateTask:) optional func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)
    @objc(URLSession:task:willBeginDelayedRequest:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)
    @objc(asyncURLSession:task:willBeginDelayedRequest:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)
    @objc(URLSession:taskIsWaitingForConnectivity:) optional func urlSession(
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    @objc(URLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    @objc(asyncURLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?
    @objc(URLSession:task:didReceiveChallenge:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    @objc(asyncURLSession:task:didReceiveChallenge:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
    @objc(URLSession:task:needNewBodyStream:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
    @objc(asyncURLSession:task:needNewBodyStream:) optional func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream?
    @available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
    @objc(URLSession:task:needNewBodyStreamFromOffset:completionHandler:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void)
    @available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
    @objc(asyncURLSession:task:needNewBodyStreamFromOffset:completionHandler:) optional func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream?
    @objc(URLSession:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    @available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
    @objc(URLSession:task:didReceiveInformationalResponse:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)
    @objc(URLSession:task:didFinishCollectingMetrics:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    @objc(URLSession:task:didCompleteWithError:) optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

@objc public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    @objc(URLSession:dataTask:didReceiveResponse:completionHandler:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    @objc(asyncURLSession:dataTask:didReceiveResponse:completionHandler:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition
    @objc(URLSession:dataTask:didBecomeDownloadTask:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)
    @objc(URLSession:dataTask:didBecomeStreamTask:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask)
    @objc(URLSession:dataTask:didReceiveData:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    @objc(URLSession:dataTask:willCacheResponse:completionHandler:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
    @objc(asyncURLSession:dataTask:willCacheResponse:completionHandler:) optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}

@objc public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    @objc(URLSession:downloadTask:didFinishDownloadingToURL:) func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
    @objc(URLSession:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:) optional func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
    @objc(URLSession:downloadTask:didResumeAtOffset:expectedTotalBytes:) optional func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

// MARK: - Called by the compiler for conversions from and to Objective-C

public func _convertErrorToNSError(_ error: any Error) -> NSError
public func _convertNSErrorToError(_ error: NSError?) -> any Error
