// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import ServiceProviderExtras

/// The reason for a failure, as far as a person can do something about it. The view has the text
/// in the person's language.
nonisolated enum ScreenError: Error, Equatable {
    /// The server's own words.
    case message(String)
    /// No complete response arrived.
    case unreachable
    /// The server has a problem.
    case serverProblem
    /// A file can't be read, such as a picture from the photo library.
    case unreadableFile
    /// Anything else, such as a response that isn't what the app expects.
    case other

    /// Creates the reason for an error that a call has thrown.
    init(_ error: any Error) {
        self =
            switch error as? ServiceError {
            case let error? where error.serverMessage != nil: .message(error.serverMessage ?? "")
            case .transport: .unreachable
            case .unacceptableStatus(let response) where response.statusCode >= 500: .serverProblem
            case .invalidRequest(.body, _), .file: .unreadableFile
            default: error as? ScreenError ?? .other
            }
    }
}
