// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

public struct Chapter: Codable {
    public let title: String
}

/// A request of a module of its own.
public class ChapterRequest: ApiRequest<Chapter> {
    public override func webserviceUrl() -> String { return storyServer + "/" }
    public override func endPoint() -> String { return "chapter" }
    public override func requestType() -> HTTPMethod { return .get }

    public func load(responseHandler: @escaping ResponseHandler) {
        NetworkApiClient().callApi(request: self, responseHandler: responseHandler)
    }
}
