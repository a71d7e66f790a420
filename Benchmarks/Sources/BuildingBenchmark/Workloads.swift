// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The same request, built by hand and with the library.
struct Workload {
    let name: String
    /// The longest time that the library may take, relative to the time by hand.
    let limit: Double
    let byHand: () -> URLRequest?
    let byLibrary: () -> URLRequest?
}

/// The endpoints, as users of the library write them.
enum BenchmarkService: Service {
    case oneParameter, fiveParameters, twentyParameters, form, json, encodable

    var baseURL: String { "https://api.example.com/v1" }
    var path: String { "/characters" }

    var method: ServiceMethod {
        switch self {
        case .oneParameter, .fiveParameters, .twentyParameters: .get
        case .form, .json, .encodable: .post
        }
    }

    var parameterEncoding: ServiceParameterEncoding {
        self == .form ? ServiceParameterEncoding(destination: .form) : ServiceParameterEncoding()
    }

    var body: ServiceBody? { self == .encodable ? .json(Hero()) : nil }

    var parameters: [String: Any]? {
        switch self {
        case .encodable: nil
        case .oneParameter: ["name": "spider man + friends"]
        case .fiveParameters:
            [
                "name": "spider man + friends",
                "limit": 20,
                "active": true,
                "orderBy": "-modified",
                "series": ["one", "two", "three"],
            ]
        case .twentyParameters:
            [
                "name": "spider man + friends",
                "limit": 20,
                "active": true,
                "orderBy": "-modified",
                "series": ["one", "two", "three"],
                "city": "New York & Queens",
                "offset": 40,
                "heroes": false,
                "since": "2014-04-29",
                "page": 7,
                "villains": true,
                "title": "The Amazing Spider-Man",
                "issue": 300,
                "variants": false,
                "creator": "Stan Lee",
                "year": 1988,
                "digital": true,
                "format": "comic",
                "events": 238,
                "text": "with great power = responsibility",
            ]
        case .form, .json:
            [
                "id": 1_009_610,
                "name": "Spider-Man & friends",
                "team": "New Avengers",
                "active": true,
                "level": 42,
                "score": 9.5,
                "city": "New York",
                "motto": "With great power",
                "enemies": 128,
                "retired": false,
            ]
        }
    }
}

struct Hero: Encodable {
    var id = 1_009_610
    var name = "Spider-Man & friends"
    var team = "New Avengers"
    var active = true
    var level = 42
    var score = 9.5
    var city = "New York"
    var motto = "With great power"
    var enemies = 128
    var retired = false
}
