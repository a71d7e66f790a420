// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The response has a media type that the provider doesn't accept.
public nonisolated struct ServiceContentTypeError: LocalizedError, Sendable {
    /// The `Content-Type` of the response; nil if it has none.
    public let contentType: String?
    /// The media types that the provider accepts.
    public let accepted: [String]

    package init(contentType: String?, accepted: [String]) {
        self.contentType = contentType
        self.accepted = accepted
    }

    /// Names the accepted types, and not the other one, which a server has chosen.
    public var errorDescription: String? {
        let found = contentType == nil ? "it has no content type" : "it has another content type"
        return "\(found), and '\(accepted.joined(separator: ", "))' is required."
    }
}
