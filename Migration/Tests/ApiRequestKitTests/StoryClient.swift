// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The server of the tests.
nonisolated(unsafe) var storyServer = "http://127.0.0.1:1"

class AppRequest<T: Codable>: ApiRequest<T> {
    override func webserviceUrl() -> String { return storyServer + "/" }
}

struct Story: Codable {
    let title: String?
}

class StoriesByUserRequest: AppRequest<[Story]> {
    var username: String = ""

    override func apiResource() -> String { return "stories/" }
    override func endPoint() -> String { return username }
    override func requestType() -> HTTPMethod { return .get }
    override func bodyParams() -> NSDictionary? { return ["limit": 10] }
}

class AddStoryRequest: AppRequest<Story> {
    var title: String = "é"

    override func apiVersion() -> String { return "v2/" }
    override func apiResource() -> String { return "stories" }
    override func bodyParams() -> NSDictionary? { return ["title": title, "tags": ["a", "b"]] }
    override func contentType() -> String { return "application/vnd.story+json" }
}

typealias CompletionHandler = (Bool, AnyObject?) -> Void

class StoryService {
    func stories(by username: String, completion: @escaping CompletionHandler) {
        let request = StoriesByUserRequest()
        request.username = username
        NetworkApiClient().callApi(request: request) { (apiResponse) in
            if apiResponse.success {
                completion(true, apiResponse.data)
            } else {
                completion(false, apiResponse.message as AnyObject?)
            }
        }
    }
}
