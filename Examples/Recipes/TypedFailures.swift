// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The server's errors as a type of the app.

import ServiceProvider

/// Throws the body of a refused request as an error of the app's own type.
///
///     enum SignUpFailure: String, Error, Decodable { case nameTaken, tooYoung }
///
///     let provider = ServiceProvider<AccountService>(
///         interceptors: [TypedFailures<SignUpFailure>(), ServiceRetry()])
///     do {
///         try await provider.load(service: .signUp(name: "Hulk"))
///     } catch ServiceError.interceptor(let failure as SignUpFailure) {
///         show(failure)
///     }
///
/// Put it first: other interceptors, such as ServiceRetry, need the response. A body of another
/// form stays `ServiceError.unacceptableStatus`.
nonisolated struct TypedFailures<Failure: Error & Decodable & SendableMetatype>: ServiceInterceptor
{
    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let response = try await next(request)
        let isRefused = !response.request.validStatusCodes.contains(response.statusCode)
        if isRefused, let failure = try? response.decode(Failure.self) { throw failure }
        return response
    }
}
