// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// A call. Its path contains its kind and number, which the response must match.
struct SoakService: Service, Sendable {
    enum Content: Sendable { case data(Data), file(URL), multipart(URL) }

    let baseURL: String
    var path: String
    var method = ServiceMethod.get
    var parameters: [String: Any]? { page.map { ["page": $0] } }
    var page: Int?
    var content: Content?
    var timeout: TimeInterval?

    var body: ServiceBody? {
        switch content {
        case .data(let data): .data(data)
        case .file(let file): .file(file)
        case .multipart(let file): .multipart([.text("soak", name: "a"), .file(file, name: "b")])
        case nil: nil
        }
    }
}
