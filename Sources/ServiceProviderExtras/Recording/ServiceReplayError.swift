// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// An error of ``ServiceReplay``.
public nonisolated enum ServiceReplayError: LocalizedError, Equatable {
    /// The file isn't an HTTP Archive. The text says why, and names the entry and the member.
    case invalidArchive(String)
    /// No entry matches this request. Names the most similar entry and its differences; nil if the
    /// archive is empty.
    case unmatched(String, nearest: String?)
    /// The response to this request was recorded without its body. The body went to a file or a stream,
    /// its secrets couldn't be found, or the browser hadn't kept it.
    case bodyMissing(String)

    /// A sentence for people. Never contains a secret.
    public var errorDescription: String? {
        switch self {
        case .invalidArchive(let reason): "The file isn't an HTTP Archive: \(reason)."
        case .unmatched(let request, let nearest?):
            "The archive has no entry for '\(request)'; the nearest, \(nearest)."
        case .unmatched(let request, nil):
            "The archive has no entry for '\(request)'; it's empty."
        case .bodyMissing(let request):
            "The archive doesn't contain the body of the response to '\(request)'."
        }
    }

    /// Describes an error of decoding: names the member, and its entry.
    static func reason(for error: any Error) -> String {
        func name(_ path: [any CodingKey]) -> String {
            let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
            return path.isEmpty ? "the archive" : "'\(names.joined(separator: "."))'"
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "\(name(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context):
            return "\(name(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context):
            return "\(name(context.codingPath)) has the wrong type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(name(context.codingPath)) isn't a valid value"
        default: return "it isn't JSON"
        }
    }
}
