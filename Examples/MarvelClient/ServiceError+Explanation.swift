// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras

extension ServiceError {
    /// What went wrong, for the terminal, with the server's own words. They may repeat the request, so its keys are
    /// hidden.
    var explanation: String {
        guard let response, let message = serverMessage else { return description }
        return "\(description) \(response.request.redacting(message))"
    }
}
