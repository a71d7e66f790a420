// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

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
        decodingOnMainActor decodeResponse: @escaping (ServiceResponse) throws -> U?
    ) -> Task<Void, Never> {
        let decode: Completion<ServiceResponse> = { result in
            // Safe because it is created here, and passed to one handler on the same actor.
            nonisolated(unsafe) let decoded: ServiceResult<U>
            do {
                decoded = try result.get().flatMap(decodeResponse).map { .success($0) } ?? .empty
            } catch {
                decoded = .failure(ServiceError(error))
            }
            completion(decoded)
        }
        return run(service: service, completion: decode) { [pipeline] request in
            try await pipeline.send(request)
        }
    }
}
