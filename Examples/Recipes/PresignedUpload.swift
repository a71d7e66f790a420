// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// An upload to a URL from an earlier response.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// The API's endpoints for pictures. The picture itself goes to a storage service.
struct PictureService: Service {
    enum Endpoint {
        case begin(name: String)
        case finish(id: String)
    }

    var baseURL: String
    var endpoint: Endpoint

    var path: String {
        switch endpoint {
        case .begin: "/pictures"
        case .finish(let id): "/pictures/\(id)/finish"
        }
    }
    var method: ServiceMethod { .post }
    var parameters: [String: Any]? {
        switch endpoint {
        case .begin(let name): ["name": name]
        case .finish: nil
        }
    }
}

/// Where to upload a picture: a URL with a signature, and the headers that it covers.
struct PictureTicket: Decodable {
    let id: String
    let url: String
    let headers: [String: String]
}

struct PictureUploader {
    let baseURL: String
    /// With the token of the app.
    let api: ServiceProvider<PictureService>
    /// Without it: the storage service must not get the app's token.
    let storage = ServiceProvider<ServiceEndpoint>(interceptors: [ServiceRetry()])

    func upload(_ file: URL) async throws -> String {
        let begin = PictureService(
            baseURL: baseURL, endpoint: .begin(name: file.lastPathComponent))
        let ticket = try await api.load(service: begin, decodeType: PictureTicket.self)
        try await storage.load(
            service: ServiceEndpoint(
                ticket.url, method: .put, headers: ticket.headers, body: .file(file)))
        try await api.load(
            service: PictureService(baseURL: baseURL, endpoint: .finish(id: ticket.id)))
        return ticket.id
    }
}
