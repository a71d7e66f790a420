// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya
import OtherModule

// In the style of an app of several modules. Moya doesn't export these names, so they are those of the other module.

struct OtherNames {
    var request = Request()
    var service = Service()
    var provider = ServiceProvider()
    var error = AFError()
    var headers = HTTPHeaders()
    var retry = RetryResult.later
    var parameters: Parameters = [:]
    var convertible: (any URLRequestConvertible)?
}

// An app's own version of a property that the kit has, too.
extension Result {
    var value: Success? { try? get() }
}

struct OtherAPI: TargetType {
    var baseURL: URL { Backend.url }
    var path: String { Request().path }
    var method: Moya.Method { .get }
    var task: Moya.Task { .requestPlain }
    var headers: [String: String]? { nil }
}

func result(of response: Result<Response, MoyaError>) -> (Int?, MoyaError?) {
    (response.value?.statusCode, response.error)
}

// Parts of Moya and Alamofire that need only `import Moya`.
func makeSession() -> Session {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    configuration.headers.add(name: "X-App", value: "1")
    configuration.headers.add(.userAgent("App/1"))
    let session = Session(configuration: configuration)
    _ = session.sessionConfiguration.timeoutIntervalForRequest
    _ = URL(target: OtherAPI())
    return session
}
