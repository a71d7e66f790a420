// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A client in the style of an SDK for an app store: paths as nested structs, parameters as structs, and a signed token.

struct StoreApp: Codable {
    var name: String
    var url: URL?
}

struct StoreDocument<Value: Codable>: Codable {
    var data: Value
}

enum StoreEndpoint {
    static var apps: Apps { Apps(path: "/v1/apps") }

    struct Apps {
        let path: String

        struct Parameters {
            var names: [String]?
            var limit: Int?
            var existing: Bool?

            var asQuery: [(String, String?)] {
                var query: [(String, String?)] = []
                if let names { query.append(("filter[name]", names.joined(separator: ","))) }
                if let limit { query.append(("limit", String(limit))) }
                if let existing { query.append(("exists[review]", existing.description)) }
                return query
            }
        }

        func get(parameters: Parameters? = nil) -> Request<StoreDocument<[StoreApp]>> {
            Request(
                path: path, method: "GET", query: parameters?.asQuery, id: "apps-get_collection")
        }

        func post(_ body: StoreDocument<StoreApp>) -> Request<StoreDocument<StoreApp>> {
            Request(path: path, method: "POST", body: body, id: "apps-create_instance")
        }

        func id(_ id: String) -> WithID { WithID(path: "\(path)/\(id)") }

        struct WithID {
            let path: String

            var get: Request<StoreDocument<StoreApp>> { Request(path: path, method: "GET") }
            var delete: Request<Void> { Request(path: path, method: "DELETE", id: "apps-delete") }

            func put(_ body: StoreDocument<StoreApp>) -> Request<StoreDocument<StoreApp>> {
                Request(path: path, method: "PUT", body: body)
            }

            func builds(_ ids: [String]) -> Request<Void> {
                Request(path: path + "/relationships/builds", method: "PATCH", body: ["data": ids])
            }
        }
    }
}

/// An actor, as it signs a new token now and then.
actor StoreSigner: APIClientDelegate {
    private var count = 0

    func client(_ client: APIClient, willSendRequest request: inout URLRequest) async throws {
        count += 1
        request.setValue("Bearer jwt\(count)", forHTTPHeaderField: "Authorization")
    }
}
