// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Writes HTTP archives (HAR) that no recorder would write.
enum ArchiveText {
    /// An archive with these entries.
    static func archive(_ entries: String...) -> Data { archive(entries) }

    static func archive(_ entries: [String]) -> Data {
        Data(#"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
    }

    /// A recorded POST.
    ///
    /// - Parameters:
    ///   - body: The text of its body, escaped for a JSON string.
    ///   - headers: The headers of the response, each from ``header(_:_:)``.
    static func post(to url: String, body: String = "", headers: [String] = []) -> String {
        let postData = body.isEmpty ? "" : #","postData":{"text":"\#(body)"}"#
        let request = #"{"method":"POST","url":"\#(url)"\#(postData)}"#
        let list = headers.isEmpty ? "" : #","headers":[\#(headers.joined(separator: ","))]"#
        let response = #"{"status":200,"content":{"text":"found"}\#(list)}"#
        return #"{"request":\#(request),"response":\#(response)}"#
    }

    static func header(_ name: String, _ value: String) -> String {
        #"{"name":"\#(name)","value":"\#(value)"}"#
    }
}
