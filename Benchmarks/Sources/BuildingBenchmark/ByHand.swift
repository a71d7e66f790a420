// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests, written carefully by hand with URLComponents.
///
/// URLComponents doesn't escape `+`, which servers read as a space, so that is done separately.
enum ByHand {
    static func oneParameter() -> URLRequest? {
        get([URLQueryItem(name: "name", value: "spider man + friends")])
    }

    static func fiveParameters() -> URLRequest? {
        get([
            URLQueryItem(name: "name", value: "spider man + friends"),
            URLQueryItem(name: "limit", value: "20"),
            URLQueryItem(name: "active", value: "true"),
            URLQueryItem(name: "orderBy", value: "-modified"),
            URLQueryItem(name: "series[]", value: "one"),
            URLQueryItem(name: "series[]", value: "two"),
            URLQueryItem(name: "series[]", value: "three"),
        ])
    }

    static func twentyParameters() -> URLRequest? {
        get([
            URLQueryItem(name: "name", value: "spider man + friends"),
            URLQueryItem(name: "limit", value: "20"),
            URLQueryItem(name: "active", value: "true"),
            URLQueryItem(name: "orderBy", value: "-modified"),
            URLQueryItem(name: "series[]", value: "one"),
            URLQueryItem(name: "series[]", value: "two"),
            URLQueryItem(name: "series[]", value: "three"),
            URLQueryItem(name: "city", value: "New York & Queens"),
            URLQueryItem(name: "offset", value: "40"),
            URLQueryItem(name: "heroes", value: "false"),
            URLQueryItem(name: "since", value: "2014-04-29"),
            URLQueryItem(name: "page", value: "7"),
            URLQueryItem(name: "villains", value: "true"),
            URLQueryItem(name: "title", value: "The Amazing Spider-Man"),
            URLQueryItem(name: "issue", value: "300"),
            URLQueryItem(name: "variants", value: "false"),
            URLQueryItem(name: "creator", value: "Stan Lee"),
            URLQueryItem(name: "year", value: "1988"),
            URLQueryItem(name: "digital", value: "true"),
            URLQueryItem(name: "format", value: "comic"),
            URLQueryItem(name: "events", value: "238"),
            URLQueryItem(name: "text", value: "with great power = responsibility"),
        ])
    }

    static func form() -> URLRequest? {
        var components = URLComponents()
        components.queryItems = [
            URLQueryItem(name: "id", value: "1009610"),
            URLQueryItem(name: "name", value: "Spider-Man & friends"),
            URLQueryItem(name: "team", value: "New Avengers"),
            URLQueryItem(name: "active", value: "true"),
            URLQueryItem(name: "level", value: "42"),
            URLQueryItem(name: "score", value: "9.5"),
            URLQueryItem(name: "city", value: "New York"),
            URLQueryItem(name: "motto", value: "With great power"),
            URLQueryItem(name: "enemies", value: "128"),
            URLQueryItem(name: "retired", value: "false"),
        ]
        guard var request = url("https://api.example.com/v1/characters") else { return nil }
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let text = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        request.httpBody = Data((text ?? "").utf8)
        return request
    }

    static func json() -> URLRequest? {
        guard var request = url("https://api.example.com/v1/characters") else { return nil }
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try? JSONEncoder().encode(Hero())
        return request
    }

    private static func url(_ text: String) -> URLRequest? {
        URLComponents(string: text)?.url.map { URLRequest(url: $0) }
    }

    private static func get(_ items: [URLQueryItem]) -> URLRequest? {
        guard var components = URLComponents(string: "https://api.example.com/v1/characters") else {
            return nil
        }
        components.queryItems = items
        let query = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        components.percentEncodedQuery = query
        guard let url = components.url else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = "GET"
        return request
    }
}
