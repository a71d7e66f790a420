// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A client in the style of an SDK for a media server: functions that a generator wrote, and one class that owns the
// `APIClient` and is its delegate.

struct MediaItem: Codable {
    var id: String
    var overview: String?
    var premiereDate: Date?
}

enum MediaPaths {
    static func users(isHidden: Bool? = nil, isDisabled: Bool? = nil) -> Request<[MediaItem]> {
        Request(
            path: "/Users", method: "GET",
            query: [("isHidden", isHidden?.asText), ("isDisabled", isDisabled?.asText)],
            id: "GetUsers")
    }

    static func items(userID: String, limit: Int? = nil, fields: [String]) -> Request<[MediaItem]?>
    {
        let query: [(String, String?)] = [
            ("limit", limit.map(String.init)), ("fields", fields.joined(separator: ",")),
        ]
        return Request(path: "/Users/\(userID)/Items", method: "GET", query: query)
    }

    static func update(_ body: MediaItem) -> Request<Void> {
        Request(path: "/Items/\(body.id)", method: "POST", body: body, id: "UpdateItem")
    }

    static func image(id: String, width: Int) -> Request<Data> {
        let headers = ["Accept": "image/*"]
        return Request(
            path: "/Items/\(id)/Images/Primary", method: "GET", query: [("width", "\(width)")],
            headers: headers)
    }

    static func setImage(id: String, _ body: Data) -> Request<Void> {
        let headers = ["Content-Type": "image/png"]
        return Request(
            path: "/Items/\(id)/Images/Primary", method: "POST", body: body, headers: headers)
    }

    static func headImage(id: String) -> Request<Void> {
        Request(path: "/Items/\(id)/Images/Primary", method: "HEAD")
    }

    static func message(session: String, _ body: String) -> Request<Void> {
        let headers = ["Content-Type": "text/plain"]
        return Request(
            path: "/Sessions/\(session)/Message", method: "POST", body: body, headers: headers)
    }

    static var ping: Request<String> { Request(path: "/System/Ping", method: "POST") }
    static var logout: Request<Void> { Request(path: "/Sessions/Logout", method: "POST") }
}

extension Bool {
    fileprivate var asText: String { self ? "true" : "false" }
}

final class MediaClient: APIClientDelegate {
    private(set) var accessToken: String?
    private(set) var client = APIClient(baseURL: nil)

    init(url: URL?, accessToken: String?) {
        self.accessToken = accessToken
        client = APIClient(baseURL: url) {
            $0.sessionConfiguration.httpAdditionalHeaders = ["User-Agent": "Media/1.0"]
            $0.encoder.outputFormatting = .sortedKeys
            $0.delegate = self
        }
    }

    func send<T: Decodable>(_ request: Request<T>) async throws -> Response<T> {
        try await client.send(request)
    }

    func client(_ client: APIClient, willSendRequest request: inout URLRequest) async throws {
        let token = accessToken.map { ", Token=\($0)" } ?? ""
        request.setValue("Media Client=app\(token)", forHTTPHeaderField: "Authorization")
    }
}
