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
            Self.sentence(for: error, response, type)
        case .interceptor(let error): "An interceptor failed: \(error.localizedDescription)"
        }
    }

    private static func sentence(
        for error: any Error, _ response: ServiceResponse, _ type: String
    ) -> String {
        let redactor = ServiceRedactor(response.request)
        let failure = "Decoding '\(type)' failed"
        let text: String
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            text = ": '\(path(context.codingPath + [key]))' is missing."
        case DecodingError.typeMismatch(let expected, let context),
            DecodingError.valueNotFound(let expected, let context):
            // Foundation may quote the value.
            let isSecret = context.codingPath.contains { redactor.isSecret($0.stringValue) }
            let words = isSecret ? "" : context.debugDescription
            text = place(context) + ": " + (words.isEmpty ? "expected '\(expected)'." : words)
        case DecodingError.dataCorrupted(let context):
            let isSecret = context.codingPath.contains { redactor.isSecret($0.stringValue) }
            let words = isSecret ? "" : context.debugDescription
            text = place(context) + ": " + (words.isEmpty ? "the value isn't valid." : words)
        case let error as any LocalizedError:
            // Not the decoder's: an envelope or a model has looked at the value.
            let reason = redactor.excerpt(of: error.localizedDescription, limit: 400).text
            return "The response to '\(response.request)' was rejected: \(reason)"
        default: text = ": \(error.localizedDescription)"
        }
        return failure + redactor.excerpt(of: text, limit: 400).text
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "" : " at '\(path(context.codingPath))'"
    }

    /// The path as code has it: `data.results[3].id`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
        return path
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

    /// The message of the server, or the meaning of the status. Without the secrets of the request, which
    /// the server may repeat.
    fileprivate var explanation: String {
        if (300..<400).contains(statusCode), let location = header("Location") {
            return "the redirect to '\(ServiceRequest.place(location))' is not followed."
        }
        let isText = ServiceMediaType(header("Content-Type")).name == "text/plain"
        let text = isText ? String(decoding: data.prefix(65_536), as: UTF8.self) : ""
        // A longer body isn't a message, and takes long to parse.
        let json = data.count <= 65_536 ? try? JSONSerialization.jsonObject(with: data) : nil
        let message = json.flatMap { Self.message(in: $0) } ?? (Self.isBlank(text) ? nil : text)
        let meaning = HTTPURLResponse.localizedString(forStatusCode: statusCode)
        return ServiceRedactor(request).excerpt(of: message ?? meaning, limit: 400).text
    }

    /// The members in which APIs have their message: problem details (RFC 9457), OAuth, and other common
    /// ones.
    private static let messageNames = [
        "detail", "message", "error_description", "status_message", "error", "errors", "title",
        "status",
    ]

    /// The first message in JSON, at most eight levels deep.
    private static func message(in json: Any, depth: Int = 0) -> String? {
        guard depth < 8 else { return nil }
        if let text = json as? String { return isBlank(text) ? nil : text }
        if let list = json as? [Any] {
            for element in list {
                if let text = message(in: element, depth: depth + 1) { return text }
            }
        } else if let object = json as? [String: Any] {
            for name in messageNames {
                guard let member = object[name] else { continue }
                if let text = message(in: member, depth: depth + 1) { return text }
            }
        }
        return nil
    }

    private static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
