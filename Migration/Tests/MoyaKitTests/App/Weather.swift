// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Endpoints as structs, on a protocol of the app.
nonisolated protocol WeatherEndpoint: TargetType {}

extension WeatherEndpoint {
    var baseURL: URL { URL(string: Server.baseURL + "/weather?key=k1") ?? Server.url }
    var method: Moya.Method { .get }
    var task: Task { .requestPlain }
    var headers: [String: String]? { nil }
}

struct Forecast: WeatherEndpoint {
    let city: String
    var path: String { "/forecast/\(city)" }
}

struct Current: WeatherEndpoint {
    var path: String { "/current" }
    var task: Task {
        .requestParameters(parameters: ["unit": "°C"], encoding: URLEncoding.default)
    }
}

struct Alerts: WeatherEndpoint {
    let ids: [Int]
    var path: String { "/alerts" }
    var method: Moya.Method { .post }
    var task: Task { .requestParameters(parameters: ["ids": ids], encoding: ArrayEncoding()) }
}

struct Stations: WeatherEndpoint {
    var path: String { "/stations" }
    var sampleData: Data { Data(#"{"data": {"stations": ["A", "B"], "count": 2}}"#.utf8) }
}

struct Subscribe: WeatherEndpoint {
    var path: String { "/subscriptions" }
    var method: Moya.Method { .post }
    var task: Task {
        .requestParameters(
            parameters: ["area": ["north": 1.5, "name": "a b&c"] as [String: Any]],
            encoding: URLEncoding.default)
    }
}

struct Unsubscribe: WeatherEndpoint {
    var path: String { "/subscriptions" }
    var method: Moya.Method { .delete }
    var task: Task {
        .requestParameters(parameters: ["all": true], encoding: URLEncoding.httpBody)
    }
}

struct Unsendable: WeatherEndpoint {
    var path: String { "/unsendable" }
    var task: Task {
        .requestParameters(parameters: ["x": Double.nan], encoding: URLEncoding.default)
    }
}

/// An encoding of the app: sends the array in `ids` as the whole body.
nonisolated struct ArrayEncoding: ParameterEncoding {
    func encode(_ urlRequest: URLRequestConvertible, with parameters: Parameters?) throws
        -> URLRequest
    {
        var request = try urlRequest.asURLRequest()
        request.httpBody = try JSONEncoder().encode(parameters?["ids"] as? [Int])
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }
}
