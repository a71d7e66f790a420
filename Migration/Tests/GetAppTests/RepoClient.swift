// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A client in the style of a small app: static requests by type, absolute URLs, and coders for single requests.

struct Repo: Codable {
    var fullName: String
    var pushedAt: Date?
}

extension Request where Response == Repo {
    static func repo(_ name: String) -> Request { Request(path: "repos/\(name)") }
    static func page(_ next: URL) -> Request { Request(url: next, query: [("page", "2")]) }
    static func edit(_ repo: Repo) -> Request {
        Request(path: "repos/\(repo.fullName)", method: .put, body: repo, id: "legacy")
    }
}

extension Request where Response == Void {
    static func star(_ name: String) -> Request {
        Request(path: "user/starred/\(name)", method: .put)
    }
    static func unstar(_ name: String) -> Request {
        Request(path: "user/starred/\(name)", method: .delete, headers: ["X-Reason": "boring"])
    }
    static var root: Request { Request(path: "") }
}

/// One old endpoint has snake case and dates in seconds.
struct LegacyCoders: APIClientDelegate {
    func client<T>(_ client: APIClient, encoderForRequest request: Request<T>) -> JSONEncoder? {
        guard request.id == "legacy" else { return nil }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    func client<T>(_ client: APIClient, decoderForRequest request: Request<T>) -> JSONDecoder? {
        guard request.id == "legacy" else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}
