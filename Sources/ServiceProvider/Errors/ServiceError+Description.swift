// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceError: LocalizedError, CustomStringConvertible {
    /// A sentence for people: what failed, for which request, and the cause last. Never a secret.
    ///
    /// On one line and not endless: what servers and services say may hold anything, and a terminal
    /// must not obey it.
    public var description: String {
        // By scalars: an app that this is copied into may have a `Character` of its own.
        var line = String.UnicodeScalarView()
        for scalar in sentence.unicodeScalars.prefix(400) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
            case .format: break
            default: line.append(scalar)
            }
        }
        return String(line)
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    private var sentence: String {
        switch self {
        case .invalidRequest(let part, let reason):
            "Invalid \(part.rawValue): \(reason)" + (reason.hasSuffix(".") ? "" : ".")
        case .cancelled: "The request was cancelled."
        case .transport(let error): Self.sentence(for: error)
        case .unacceptableStatus(let response): "\(response.headline): \(response.explanation)"
        case .emptyResponse(let response): "\(response.headline) without a body."
        case .decoding(let error, let response, let type):
            "Decoding '\(type)' failed"
                + response.request.redacting(Self.cause(of: error, response.request))
        case .interceptor(let error): "An interceptor failed\(Self.cause(of: error))"
        }
    }

    /// An error's own words, after the place in the body where it is.
    private static func cause(
        of error: any Error, _ request: ServiceRequest? = nil
    ) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context)): the key '\(key.stringValue)' is missing."
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            // Foundation's words may quote the value.
            "\(place(context)): "
                + (context.codingPath.contains { request?.isSecret($0.stringValue) == true }
                    ? "its value is another." : context.debugDescription)
        default: ": \(error.localizedDescription)"
        }
    }

    /// The path as one would write it: `data.results[3].id`.
    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.reduce("") { path, key in
            path + (key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)")
        }
        return path.isEmpty ? "" : " at '\(path.drop { $0 == "." })'"
    }

    private static func sentence(for error: URLError) -> String {
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let host = url?.host.map { " '\($0)\(url?.port.map { ":\($0)" } ?? "")'" } ?? ""
        let event =
            switch error.code {
            case .cannotConnectToHost: "refused the connection or cannot be reached"
            case .cannotFindHost: "was not found"
            case .timedOut: "did not answer in time"
            case .networkConnectionLost: "broke off the connection"
            default: "gave no answer that can be used"
            }
        let cause = error.userInfo[NSLocalizedDescriptionKey].map { ": \($0)" } ?? ""
        // The codes of files and downloads.
        if error.code.rawValue <= -3000 {
            return "The file cannot be written (URLError \(error.code.rawValue))\(cause)"
        }
        if error.code == .notConnectedToInternet {
            return "There is no network connection (URLError \(error.code.rawValue))\(cause)"
        }
        return "The host\(host) \(event) (URLError \(error.code.rawValue))\(cause)"
    }
}

nonisolated extension ServiceResponse {
    fileprivate var headline: String { "The server answered \(statusCode) for '\(request)'" }

    /// The server's own words, or else what the status means; without what was secret in the request,
    /// should the server repeat it.
    fileprivate var explanation: String {
        if (300..<400).contains(statusCode), let location = header("Location") {
            return "the redirect to '\(ServiceRequest.place(location))' is not followed."
        }
        let isText = header("Content-Type")?.hasPrefix("text/plain") == true
        let text = isText ? String(decoding: data.prefix(1_000), as: UTF8.self) : ""
        // What is longer is no message, and takes long to read.
        let json = data.count <= 65_536 ? try? JSONSerialization.jsonObject(with: data) : nil
        let words = json.flatMap(Self.words) ?? (text.contains { !$0.isWhitespace } ? text : nil)
        let meaning = HTTPURLResponse.localizedString(forStatusCode: statusCode)
        return request.redacting(words ?? meaning)
    }

    /// Where APIs put their words: problem details (RFC 9457), OAuth, and what else is common.
    private static func words(in json: Any) -> String? {
        if let list = json as? [Any] { return list.lazy.compactMap(words).first }
        guard let object = json as? [String: Any] else {
            return (json as? String).flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
        }
        let names = ["detail", "message", "error_description", "status_message", "error", "errors"]
        return (names + ["title", "status"]).lazy.compactMap { object[$0].flatMap(words) }.first
    }
}

nonisolated extension ServiceError: CustomReflectable {
    /// Nothing to see: `dump` would print what a decoder quotes of the answer.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension ServiceRequest: CustomReflectable {
    /// Nothing to see: `dump` would print the URL's query and the headers.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension ServiceResponse: CustomReflectable {
    /// Nothing to see: `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
