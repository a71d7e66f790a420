// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceMethod {
    /// The methods that can be sent twice with the same effect (RFC 9110, section 9.2.2).
    public static let idempotent: Set = [get, head, put, delete, options, .init(rawValue: "TRACE")]
}

nonisolated extension ServiceRequest {
    /// Whether the request may be sent twice: `isRepeatable` if it is set; otherwise, the method or an
    /// `Idempotency-Key` decides.
    func canBeRepeated(methods: Set<ServiceMethod>) -> Bool {
        guard urlRequest.httpBodyStream == nil else { return false }
        if let isRepeatable {
            return isRepeatable
        }
        let method = ServiceMethod(rawValue: urlRequest.httpMethod ?? "GET")
        let hasKey = urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        return hasKey || methods.contains(method)
    }
}
