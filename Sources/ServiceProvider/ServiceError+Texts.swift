// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// A sentence for people, also as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .invalidRequest: "The request can't be sent."
        case .file: "The file can't be read or written."
        case .cancelled: "The request was cancelled."
        case .transport(let error): Self.sentence(for: error.code)
        case .unacceptableStatus(let it) where it.statusCode >= 500: "The server has a problem."
        case .unacceptableStatus: "The server refused the request."
        case .emptyResponse: "The response is empty."
        case .decoding: "The response can't be read."
        case .interceptor(let error as any LocalizedError): error.localizedDescription
        case .interceptor: "The request failed."
        }
    }

    private static func sentence(for code: URLError.Code) -> String {
        switch code {
        case .notConnectedToInternet, .dataNotAllowed: "There is no internet connection."
        case .timedOut: "The server didn't respond in time."
        case .cannotFindHost, .cannotConnectToHost: "The server can't be reached."
        case .dataLengthExceedsMaximum: "The response is too large."
        // The platform's errors about files: NSURLErrorCannotCreateFile and below.
        case _ where code.rawValue <= -3000: "The file can't be read or written."
        default: "The connection to the server failed."
        }
    }

    /// The error for developers: method, path, status, coding path, and the platform's code and text. On one line
    /// of at most 400 characters.
    public var description: String {
        // Cut first, because splitting many combining marks takes quadratic time. 400 units of UTF-16 may end in
        // the middle of a character; 401 then don't.
        let start = String(details.utf16.prefix(400)) ?? String(details.utf16.prefix(401)) ?? ""
        let lines = start.components(separatedBy: .controlCharacters.union(.newlines))
        return lines.joined(separator: " ")
    }

    /// Empty, because `dump` would print values that a decoder quotes from the response.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private var details: String {
        switch self {
        case .invalidRequest(let part, let reason): "Invalid \(part): \(reason)."
        case .file(let reason): "Invalid file: \(reason)."
        case .cancelled: "The request was cancelled."
        case .transport(let error): Self.details(of: error)
        case .unacceptableStatus(let response): "\(Self.answer(response))."
        case .emptyResponse(let response): "\(Self.answer(response)) without a body."
        case .decoding(let error, let response, let type):
            "\(Self.answer(response)). Decoding '\(type)' failed"
                + "\(Self.details(ofDecoding: error, in: response))."
        case .interceptor(let error): "The call failed: \(error.localizedDescription)"
        }
    }

    private static func answer(_ response: ServiceResponse) -> String {
        "The server answered \(response.statusCode) for '\(response.request)'"
    }

    private static func details(of error: URLError) -> String {
        let site = error.failingURL.map { ", \(ServiceRequest.origin(of: $0))" } ?? ""
        let cause = error.userInfo[NSLocalizedDescriptionKey].map { ": \($0)" } ?? ""
        return "\(sentence(for: error.code)) (URLError \(error.code.rawValue)\(site))\(cause)"
    }
}

nonisolated extension URLError {
    /// Makes an error with a text that says what failed.
    package init(_ code: Code, _ text: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
