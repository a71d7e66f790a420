// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Endpoints of a module of their own.
public enum ShelfApi {
    case list
    case next(after: String)
}

extension ShelfApi: EndPointType {
    public var baseURL: URL { URL(string: libraryServer) ?? URL(fileURLWithPath: "/") }
    public var path: String { "/shelves" }
    public var httpMethod: HTTPMethod { .get }
    public var headers: HTTPHeaders? { return nil }
    public var task: HTTPTask {
        switch self {
        case .list: return .request
        case .next(let date):
            return .requestParameters(bodyParameters: nil, urlParameters: ["after": date])
        }
    }
}

public final class ShelfManager {
    public let router = Router<ShelfApi>()

    public func load(_ route: ShelfApi, completion: @escaping NetworkRouterCompletion) {
        router.request(route, completion: completion)
    }
}
