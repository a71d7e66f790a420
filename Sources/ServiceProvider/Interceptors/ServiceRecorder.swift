// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Records what calls send and get into an HTTP Archive (HAR 1.2), as browsers' developer tools read and
/// write it, without its secrets. ``ServiceReplay`` answers from it.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(interceptors: [try ServiceRecorder(file: url)])
/// ```
///
/// The file is a valid archive after each call. A call that got no answer has an entry of status 0; one
/// that was cancelled has none. Of a redirect, the first request and the last answer are recorded. Left
/// out are bodies in files and streams, and those whose secrets cannot be told, such as XML and forms in
/// parts; an answer that is no text, such as a picture, is recorded as it is.
public nonisolated final class ServiceRecorder: ServiceInterceptor {
    private static let head =
        #"{"log":{"version":"1.2","creator":{"name":"ServiceProvider","version":"1"},"entries":["#
    private static let end = Data("\n]}}".utf8)

    private let clock: ServiceClock
    private let file: FileHandle
    private let lock = NSLock()
    // Unsafe to the compiler only: used under `lock`.
    private nonisolated(unsafe) var size = UInt64(head.utf8.count)
    private nonisolated(unsafe) var problem: (any Error)?

    /// Begins an archive.
    ///
    /// - Parameters:
    ///   - file: Where: readable by its owner only. It takes the place of an earlier archive.
    ///   - clock: Says what time it is. Default: the system's.
    /// - Throws: An error of the file system: also when there is a file that is no archive, which stays.
    public init(file: URL, clock: ServiceClock = ServiceClock()) throws {
        if FileManager.default.fileExists(atPath: file.path) {
            let old = try Data(contentsOf: file)
            let json = try? JSONSerialization.jsonObject(with: old) as? [String: Any]
            guard old.isEmpty || json?["log"] != nil else {
                throw CocoaError(.fileWriteFileExists, userInfo: [NSFilePathErrorKey: file.path])
            }
            try FileManager.default.removeItem(at: file)
        }
        // Before there is anything to read.
        let attributes = [FileAttributeKey.posixPermissions: 0o600]
        _ = FileManager.default.createFile(atPath: file.path, contents: nil, attributes: attributes)
        self.file = try FileHandle(forWritingTo: file)
        self.clock = clock
        try self.file.write(contentsOf: Data(Self.head.utf8) + Self.end)
    }

    /// What went wrong when an entry was written, such as a full disk. No call fails by it; nothing is
    /// recorded any more, and what was recorded stays valid.
    public var failure: (any Error)? { lock.withLock { problem } }

    /// Lets the call pass as it is, and records it.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = clock.now()
        do {
            let response = try await next(request)
            record(request, response, nil, start)
            return response
        } catch {
            if case .transport(let cause) = ServiceError(error) {
                record(request, nil, cause, start)
            }
            throw error
        }
    }

    private func record(
        _ request: ServiceRequest, _ response: ServiceResponse?, _ error: URLError?, _ start: Date
    ) {
        let seconds = clock.now().timeIntervalSince(start)
        let time = seconds.isFinite ? max(seconds, 0) * 1_000 : 0
        let sent = ServiceRedactor(request)
        let received = ServiceRedactor(request, response?.request ?? request)
        let entry: [String: Any] = [
            "startedDateTime": start.ISO8601Format(.init(includingFractionalSeconds: true)),
            "time": time, "timings": ["send": 0, "wait": time, "receive": 0],
            "cache": [String: Any](),
            "request": Self.request(request, sent),
            "response": Self.response(response, error, received),
        ]
        lock.withLock {
            guard problem == nil else { return }
            do {
                let options: JSONSerialization.WritingOptions = [
                    .sortedKeys, .withoutEscapingSlashes,
                ]
                let json = try JSONSerialization.data(withJSONObject: entry, options: options)
                let isFirst = size == Self.head.utf8.count
                let text = Data((isFirst ? "\n" : ",\n").utf8) + json
                try file.seek(toOffset: size)
                try file.write(contentsOf: text + Self.end)
                size += UInt64(text.count)
            } catch {
                problem = error
                try? file.truncate(atOffset: size)
                _ = try? file.seek(toOffset: size)
                try? file.write(contentsOf: Self.end)
            }
        }
    }

    private static func request(
        _ request: ServiceRequest, _ redactor: ServiceRedactor
    ) -> [String: Any] {
        let fields = request.urlRequest.allHTTPHeaderFields ?? [:]
        let url = redactor.redacting(request.urlRequest.url?.absoluteString ?? "")
        let items = URLComponents(string: url)?.queryItems ?? []
        let cookies = request.urlRequest.value(forHTTPHeaderField: "Cookie") ?? ""
        let body = request.urlRequest.httpBody ?? Data()
        let type = request.urlRequest.value(forHTTPHeaderField: "Content-Type")
        let text = redactor.redacting(body, ofType: type)
        var message: [String: Any] = [
            "method": request.urlRequest.httpMethod ?? "GET", "url": url, "httpVersion": "HTTP/1.1",
            "headers": headers(fields) { redactor.redacting($1, ofHeader: $0) },
            "queryString": items.map { ["name": $0.name, "value": $0.value ?? ""] },
            "cookies": cookies.split(separator: ";").map {
                let name = $0.prefix { $0 != "=" }.filter { $0 != " " }
                return ["name": name, "value": "***"]
            },
            "headersSize": -1, "bodySize": request.upload == nil ? body.count : -1,
        ]
        if let text, !body.isEmpty {
            message["postData"] = ["mimeType": type ?? "", "text": text]
        } else if request.hasBody {
            message["comment"] = "The body is not recorded."
        }
        return message
    }

    private static func response(
        _ response: ServiceResponse?, _ error: URLError?, _ redactor: ServiceRedactor
    ) -> [String: Any] {
        let fields = response?.http.allHeaderFields as? [String: String] ?? [:]
        let (data, type) = (response?.data ?? Data(), response?.header("Content-Type"))
        var content: [String: Any] = ["size": data.count, "mimeType": type ?? ""]
        let plain = String(data: data, encoding: .utf8).map { redactor.redacting($0) }
        let text = redactor.redacting(data, ofType: type) ?? plain
        content["text"] = text ?? data.base64EncodedString()
        if text == nil { content["encoding"] = "base64" }
        let mediaType = ServiceMediaType(type)
        let isText = mediaType.isReadable && text != nil
        // In other texts, such as XML, secrets can't be found. They are left out, as browsers leave out a
        // body that they haven't kept.
        let isUnknown = type != nil && (text != nil || mediaType.isReadable)
        if isUnknown, !isText, !mediaType.isBinary, !data.isEmpty {
            (content["text"], content["encoding"]) = (nil, nil)
            content["comment"] = "The body is not recorded."
        }
        let isEmpty = response?.statusCode == 204 || response?.header("Content-Length") == "0"
        if response?.request.delivery != nil, data.isEmpty, !isEmpty {
            (content["text"], content["size"]) = (nil, -1)
            content["comment"] = "The body went elsewhere."
        }
        var message: [String: Any] = [
            "status": response?.statusCode ?? 0, "statusText": "", "httpVersion": "HTTP/1.1",
            "headers": headers(fields) { redactor.redacting($1, ofHeader: $0) },
            "cookies": cookieNames(response?.header("Set-Cookie") ?? "").map {
                ["name": $0, "value": "***"]
            },
            "content": content,
            "redirectURL": redactor.redacting(response?.header("Location") ?? ""),
            "headersSize": -1, "bodySize": -1,
        ]
        message["_error"] = error.map { "URLError \($0.code.rawValue)" }
        return message
    }

    /// The names of cookies in `Set-Cookie` values, which are joined by commas.
    ///
    /// By hand, because HTTPCookie on Linux traps at some names. A comma in a date starts no cookie: no
    /// "name=" follows it.
    private static func cookieNames(_ text: String) -> [String] {
        var (names, name, isAttribute) = ([String](), [UInt8](), false)
        for byte in text.utf8 {
            switch UnicodeScalar(byte) {
            case ",": (name, isAttribute) = ([], false)
            case ";": isAttribute = true
            case "=" where !isAttribute:
                names.append(String(decoding: name, as: UTF8.self))
                isAttribute = true
            case " " where name.isEmpty: break
            // A blank in it: the rest of a date.
            case " ": isAttribute = true
            default: if !isAttribute { name.append(byte) }
            }
        }
        return names
    }

    private static func headers(
        _ fields: [String: String], _ redact: (String, String) -> String
    ) -> [[String: String]] {
        fields.sorted { $0.key < $1.key }.map { ["name": $0, "value": redact($0, $1)] }
    }
}
