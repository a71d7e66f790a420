// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An error of the API, in either of its two shapes.
///
/// The wording was recorded from the real API except where a comment says otherwise.
struct GatewayFailure: Error, Encodable, Sendable {
    /// The HTTP status.
    let status: Int
    /// The word that the first shape carries; nil makes it the second shape.
    let code: String?
    /// What went wrong.
    let text: String

    /// The shape of the part that guards the API: `{"code": "Word", "message": "…"}`.
    private static func guarding(_ status: Int, _ code: String, _ text: String) -> Self {
        Self(status: status, code: code, text: text)
    }

    /// The shape of the API itself: `{"code": 409, "status": "…"}`, with the status as the code.
    private static func conflict(_ text: String) -> Self {
        Self(status: 409, code: nil, text: text)
    }

    /// The keys of both shapes.
    private enum CodingKeys: String, CodingKey {
        case code, message, status
    }

    /// Writes the shape that the failure has.
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
    /// The two spaces are its own.
    static let throttled = guarding(
        429, "RequestThrottled", "You have exceeded your rate limit.  Please try again later.")

    /// A guess: no recording is known, but the recorded codes look like those of restify.
    static func method(_ method: String) -> Self {
        guarding(405, "MethodNotAllowedError", "\(method) is not allowed")
    }

    /// A guess: no recording is known, but the recorded codes look like those of restify.
    static func path(_ path: String) -> Self {
        guarding(404, "ResourceNotFound", "\(path) does not exist")
    }

    static let unknownCharacter = Self(
        status: 404, code: nil, text: "We couldn't find that character")
    static let limitTooHigh = conflict("You may not request more than 100 items.")
    static let limitInvalid = conflict("You must pass an integer limit greater than 0.")
    /// Our wording, after that of the limit: no recording is known.
    static let offsetInvalid = conflict("You must pass an integer offset of at least 0.")
    /// Our wording: no recording is known.
    static let dateInvalid = conflict("You must pass a valid date if you set modifiedSince.")

    /// For a parameter that the endpoint does not have.
    static func unknownParameter(_ name: String) -> Self {
        conflict("We don't recognize the parameter \(name)")
    }

    /// For a parameter that is there but says nothing.
    static func blank(_ name: String) -> Self {
        conflict("\(name) cannot be blank if it is set")
    }

    /// For a word in orderBy that is not an order.
    static func ordering(_ name: String) -> Self {
        conflict("\(name) is not a valid ordering parameter.")
    }

    /// For a filter by more ids than are allowed.
    static func tooManyIDs(_ noun: String) -> Self {
        conflict("You may not submit more than 10 \(noun) ids.")
    }

    /// For a filter by ids of which none is a number.
    static func noValidID(_ noun: String) -> Self {
        conflict("You must pass at least one valid \(noun) id if you set the \(noun) filter.")
    }
}

extension GatewayAppearance.Kind {
    /// What the errors call one of it. Only "issue" was recorded.
    var noun: String {
        switch self {
        case .comics: "issue"
        case .series: "series"
        case .stories: "story"
        case .events: "event"
        }
    }
}
