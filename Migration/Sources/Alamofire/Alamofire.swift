// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// For files that import Alamofire beside Moya. Depend on the product `Alamofire` of the package in
// ServiceProvider's folder `Migration`. Or copy this file into a target of your own named
// `Alamofire`, which depends on the target `Moya` with MoyaKit.swift. Don't copy it into the app's
// module.

import Moya

// Not the whole module, because its `Task` would hide Swift's.
@_exported import struct Moya.JSONEncoding
@_exported import protocol Moya.ParameterEncoding
@_exported import protocol Moya.RequestInterceptor
@_exported import class Moya.Session
@_exported import struct Moya.URLEncoding

#if canImport(FoundationNetworking)
// As in Alamofire.
@_exported import FoundationNetworking
#endif

// Moya keeps these names to itself.
/// An error of Alamofire.
public typealias AFError = Moya.AlamofireError
/// A header field.
public typealias HTTPHeader = Moya.AlamofireHeader
/// Header fields.
public typealias HTTPHeaders = Moya.AlamofireHeaders
/// The parameters of a request.
public typealias Parameters = [String: Any]
/// Decides about redirects.
public typealias RedirectHandler = Moya.AlamofireRedirectHandler
/// A request that failed.
public typealias Request = Moya.AlamofireRequest
/// Whether a request is sent again.
public typealias RetryResult = Moya.AlamofireRetryResult
/// A value that can be turned into a request.
public typealias URLRequestConvertible = Moya.AlamofireURLRequestConvertible

/// The HTTP method.
public typealias HTTPMethod = Moya.Method

/// A namespace: a download is a task of a target.
public nonisolated enum DownloadRequest {
    /// Returns the file of a download.
    public typealias Destination = Moya.DownloadDestination
    /// Steps to take before a file is moved.
    public typealias Options = ServiceDownloadOptions
}

/// Follows redirects, or doesn't, or changes them.
public nonisolated struct Redirector: RedirectHandler {
    /// The ways to handle a redirect.
    public enum Behavior: Sendable {
        case follow, doNotFollow
        case modify(@Sendable (URLSessionTask, URLRequest, HTTPURLResponse) -> URLRequest?)
    }

    /// Follows redirects.
    public static let follow = Redirector(behavior: .follow)
    /// Follows no redirect.
    public static let doNotFollow = Redirector(behavior: .doNotFollow)

    /// How this value handles a redirect.
    public let behavior: Behavior

    /// Creates a handler.
    public init(behavior: Behavior) { self.behavior = behavior }

    /// Passes the next request on, as the behavior says.
    public func task(
        _ task: URLSessionTask, willBeRedirectedTo request: URLRequest,
        for response: HTTPURLResponse, completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        switch behavior {
        case .follow: completion(request)
        case .doNotFollow: completion(nil)
        case .modify(let change): completion(change(task, request, response))
        }
    }
}

/// A value that can be turned into a URL.
public nonisolated protocol URLConvertible: Sendable {
    /// Returns the URL, or throws an `AFError`.
    func asURL() throws -> URL
}

nonisolated extension String: URLConvertible {
    /// The URL with this text.
    public func asURL() throws -> URL {
        guard let url = URL(string: self) else { throw AFError.invalidURL(url: self) }
        return url
    }
}

nonisolated extension URL: URLConvertible {
    /// The URL itself.
    public func asURL() -> URL { self }
}

nonisolated extension URLComponents: URLConvertible {
    /// The URL of these components.
    public func asURL() throws -> URL {
        guard let url else { throw AFError.invalidURL(url: self) }
        return url
    }
}

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

    /// Nil, because Moya doesn't validate the type of a body.
    public var responseContentType: String? { nil }
    /// Nil, for the same reason.
    public var acceptableContentTypes: [String]? { nil }

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
    public var isResponseValidationError: Bool {
        guard case .responseValidationFailed = self else { return false }
        return true
    }

    /// Whether an interceptor's `adapt` failed.
    public var isRequestAdaptationError: Bool {
        guard case .requestAdaptationFailed = self else { return false }
        return true
    }

    /// Whether an interceptor's `retry` failed.
    public var isRequestRetryError: Bool {
        guard case .requestRetryFailed = self else { return false }
        return true
    }

    /// Whether a file or a form can't be sent.
    public var isCreateUploadableError: Bool {
        guard case .createUploadableFailed = self else { return false }
        return true
    }

    /// Whether a downloaded file can't be moved.
    public var isDownloadedFileMoveError: Bool {
        guard case .downloadedFileMoveFailed = self else { return false }
        return true
    }

    /// Whether a text isn't a URL.
    public var isInvalidURLError: Bool {
        guard case .invalidURL = self else { return false }
        return true
    }

    /// False: a call doesn't fail with such an error, but with `isSessionTaskError`.
    public var isServerTrustEvaluationError: Bool { false }
    /// False: a call doesn't fail with such an error.
    public var isParameterEncodingError: Bool { false }
    /// False: a call doesn't fail with such an error.
    public var isMultipartEncodingError: Bool { false }
    /// False: a call doesn't fail with such an error.
    public var isResponseSerializationError: Bool { false }
    /// False: a call keeps its session.
    public var isSessionDeinitializedError: Bool { false }
    /// False: a call keeps its session.
    public var isSessionInvalidatedError: Bool { false }
}
