// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An error of the API, in one of its two formats.
///
/// The messages were recorded from the real API, unless a comment says otherwise.
struct GatewayFailure: Error, Encodable, Sendable {
    /// The HTTP status.
    let status: Int
    /// The code word of the first format. Nil selects the second format.
    let code: String?
    /// The message.
    let text: String

    /// The format of the access control before the API: `{"code": "Word", "message": "…"}`.
    private static func guarding(_ status: Int, _ code: String, _ text: String) -> Self {
        Self(status: status, code: code, text: text)
    }

    /// The format of the API itself: `{"code": 409, "status": "…"}`. The code is the HTTP status.
    private static func conflict(_ text: String) -> Self {
        Self(status: 409, code: nil, text: text)
    }

    /// The keys of both formats.
    private enum CodingKeys: String, CodingKey {
        case code, message, status
    }

    /// Encodes the failure in its format.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let code {
            try container.encode(code, forKey: .code)
            try container.encode(text, forKey: .message)
        } else {
            try container.encode(status, forKey: .code)
            try container.encode(text, forKey: .status)
        }
    }
}

extension GatewayFailure {
    static let missingKey = guarding(409, "MissingParameter", "You must provide a user key.")
    static let missingHash = guarding(409, "MissingParameter", "You must provide a hash.")
    static let missingTimestamp = guarding(
        409, "MissingParameter", "You must provide a timestamp.")
    static let unknownKey = guarding(
        401, "InvalidCredentials", "The passed API key is invalid.")
    static let wrongHash = guarding(
        401, "InvalidCredentials", "That hash, timestamp and key combination is invalid.")
    /// The two spaces are in the original.
    static let throttled = guarding(
        429, "RequestThrottled", "You have exceeded your rate limit.  Please try again later.")

    /// A guess: no recording is known, but recorded codes look like those of restify.
    static func method(_ method: String) -> Self {
        guarding(405, "MethodNotAllowedError", "\(method) is not allowed")
    }

    /// A guess: no recording is known, but recorded codes look like those of restify.
    static func path(_ path: String) -> Self {
        guarding(404, "ResourceNotFound", "\(path) does not exist")
    }

    static let unknownCharacter = Self(
        status: 404, code: nil, text: "We couldn't find that character")
    static let limitTooHigh = conflict("You may not request more than 100 items.")
    static let limitInvalid = conflict("You must pass an integer limit greater than 0.")
    /// Our wording, modeled on the message for limits: no recording is known.
    static let offsetInvalid = conflict("You must pass an integer offset of at least 0.")
    /// Our wording: no recording is known.
    static let dateInvalid = conflict("You must pass a valid date if you set modifiedSince.")

    /// The error for a parameter that the endpoint doesn't have.
    static func unknownParameter(_ name: String) -> Self {
        conflict("We don't recognize the parameter \(name)")
    }

    /// The error for a parameter without a value.
    static func blank(_ name: String) -> Self {
        conflict("\(name) cannot be blank if it is set")
    }

    /// The error for an invalid word in `orderBy`.
    static func ordering(_ name: String) -> Self {
        conflict("\(name) is not a valid ordering parameter.")
    }

    /// The error for a filter with too many IDs.
    static func tooManyIDs(_ noun: String) -> Self {
        conflict("You may not submit more than 10 \(noun) ids.")
    }

    /// The error for a filter by IDs without any valid number.
    static func noValidID(_ noun: String) -> Self {
        conflict("You must pass at least one valid \(noun) id if you set the \(noun) filter.")
    }
}

extension GatewayAppearance.Kind {
    /// The word for one item in error messages. Only "issue" was recorded.
    var noun: String {
        switch self {
        case .comics: "issue"
        case .series: "series"
        case .stories: "story"
        case .events: "event"
        }
    }
}
