// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras

extension ServiceError {
    /// What went wrong, for the terminal, with the server's own words. A server may repeat the request in them, so don't
    /// log this text.
    var explanation: String {
        guard let message = serverMessage else { return description }
        return "\(description) \(message)"
    }
}
