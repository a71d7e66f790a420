// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import ServiceProviderExtras

/// An endpoint of a module of its own.
public enum PhotoEndpoint: Endpoint {
    case photo(id: Int)

    public var baseURL: String { return userServer }
    public var path: String { return "/photos/1" }
    public var method: HTTPMethod { return .get }
    public var encoding: ParameterEncoding { return URLEncoding.default }
    public var body: Parameters { return Parameters() }
    public var headers: HTTPHeaders { return [:] }
}

public struct PhotoStore {
    public func load(id: Int, completion: @escaping (DataResponse<Data>) -> Void) -> Request {
        Bucko.shared.requestData(endpoint: PhotoEndpoint.photo(id: id), completion: completion)
    }
}
