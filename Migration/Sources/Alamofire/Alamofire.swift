// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// For files that import Alamofire beside Moya. Depend on the product `Alamofire` of the package in
// ServiceProvider's folder `Migration`. Or copy this file into a target of your own named
// `Alamofire`, which depends on the target `Moya` with MoyaKit.swift. Don't copy it into the app's
// module.

import Moya
// Not the whole module, because its `Task` would hide Swift's.
@_exported import enum Moya.AFError
@_exported import struct Moya.JSONEncoding
@_exported import protocol Moya.ParameterEncoding
@_exported import typealias Moya.Parameters
@_exported import class Moya.Request
@_exported import protocol Moya.RequestInterceptor
@_exported import enum Moya.RetryResult
@_exported import class Moya.Session
@_exported import struct Moya.URLEncoding
@_exported import protocol Moya.URLRequestConvertible

/// The HTTP method.
public typealias HTTPMethod = Moya.Method

nonisolated extension Error {
    /// The error, if it is an `AFError`.
    public var asAFError: AFError? { self as? AFError }
}

nonisolated extension AFError {
    /// The status code that isn't valid.
    public var responseCode: Int? {
        guard case .responseValidationFailed(.unacceptableStatusCode(let code)) = self else {
            return nil
        }
        return code
    }

    /// Whether the call was cancelled.
    public var isExplicitlyCancelledError: Bool {
        guard case .explicitlyCancelled = self else { return false }
        return true
    }

    /// Whether the response is missing or incomplete.
    public var isSessionTaskError: Bool {
        guard case .sessionTaskFailed = self else { return false }
        return true
    }

    /// Whether the status isn't valid.
    public var isResponseValidationError: Bool { responseCode != nil }
}
