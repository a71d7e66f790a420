// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Responses and Typed need this.
nonisolated extension ServiceProvider {
    /// Loads an endpoint, decodes the response on the main actor, and passes the value to a handler.
    ///
    /// Not the core's `load(service:decodeType:completion:)`: in generic code, the compiler would choose the overload
    /// that decodes off the main actor (Swift 6.3).
    ///
    /// - Parameter decode: Returns a value. Nil becomes `ServiceResult.empty`.
    @MainActor func load<U>(
        service: T, completion: @escaping Completion<U>,
        decodingOnMainActor decode: @escaping (ServiceResponse) throws(ServiceError) -> U?
    ) -> ServiceTask {
        response(for: service) { result in
            // Safe because it is created here, and passed to one handler on the same actor.
            nonisolated(unsafe) var decoded = ServiceResult<U>.empty
            do throws(ServiceError) {
                if let value = try result.get().flatMap(decode) { decoded = .success(value) }
            } catch {
                decoded = .failure(error)
            }
            completion(decoded)
        }
    }
}
