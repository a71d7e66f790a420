// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// Names that an app's own modules often have.

public struct Request {
    public var path = "/other"
    public init() {}
}

public struct Service {
    public init() {}
}

public struct ServiceProvider {
    public init() {}
}

public struct AFError: Error {
    public init() {}
}

public struct HTTPHeaders {
    public init() {}
}

public enum RetryResult { case later }
public typealias Parameters = [String: String]
public protocol URLRequestConvertible {}
