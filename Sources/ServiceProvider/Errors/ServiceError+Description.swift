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
        case .decoding(let error, _, let type): "Decoding '\(type)' failed\(Self.cause(of: error))"
        case .interceptor(let error): "An interceptor failed\(Self.cause(of: error))"
        }
    }

    /// An error's own words, after the place in the body where it is.
    private static func cause(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context)): the key '\(key.stringValue)' is missing."
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            // Foundation's words may quote the value.
            "\(place(context)): "
                + (context.codingPath.contains { isSecret($0.stringValue) }
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
        return request.secrets.reduce(words ?? meaning) { text, secret in
            text.replacingOccurrences(of: secret, with: "***")
        }
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

nonisolated extension ServiceRequest {
    /// User info, and the values in headers, query and body whose names say that they are secret; the
    /// longest first, since one may be the begin of another.
    fileprivate var secrets: [String] {
        let headers = (urlRequest.allHTTPHeaderFields ?? [:]).filter { isSecret($0.key) }
            .flatMap { [$0.value] + $0.value.split { " =;,".contains($0) }.map(String.init) }
        let body = (urlRequest.httpBody ?? Data()).prefix(65_536)
        let pairs = "\(urlRequest.url?.query ?? "")&\(String(decoding: body, as: UTF8.self))"
        let named = pairs.split { "&\n".contains($0) }.flatMap { pair -> [String] in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            let name = sides.first.map { $0.removingPercentEncoding ?? $0 } ?? ""
            guard sides.count == 2, isSecret(name) else { return [] }
            return [sides[1], sides[1].removingPercentEncoding ?? sides[1]]
        }
        let json = (try? JSONSerialization.jsonObject(with: body)).map { secrets(in: $0) } ?? []
        let user = [urlRequest.url?.user, urlRequest.url?.password].compactMap { $0 }
        return (headers + named + json + user).filter { $0.count > 3 }.sorted {
            $0.count > $1.count
        }
    }

    /// - Parameter isInside: Whether a name further out was a secret's.
    private func secrets(in json: Any, isInside: Bool = false) -> [String] {
        if let list = json as? [Any] { return list.flatMap { secrets(in: $0, isInside: isInside) } }
        guard let object = json as? [String: Any] else { return isInside ? ["\(json)"] : [] }
        return object.flatMap { secrets(in: $1, isInside: isInside || isSecret($0)) }
    }
}

/// Whether a header, query item, form field or JSON member of this name holds a secret: whether its
/// letters end as such names do. `apikey` is how `X-Api-Key`, `api_key` and `apiKey` end.
private nonisolated func isSecret(_ name: String) -> Bool {
    let endings = [
        "auth", "authorization", "cookie", "credential", "credentials", "hash", "jwt", "key",
        "passphrase", "passwd", "password", "pwd", "secret", "session", "sessionid", "sid", "sig",
        "signature", "token",
    ]
    let letters = name.lowercased().filter(\.isLetter)
    return endings.contains { letters.hasSuffix($0) }
}

nonisolated extension ServiceRequest: CustomReflectable {
    /// Nothing to see: `dump` would print the URL's query and the headers.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension ServiceResponse: CustomReflectable {
    /// Nothing to see: `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
