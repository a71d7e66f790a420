// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension MarvelAccount {
    /// The account of a recording: the base URL of its requests, and any keys.
    ///
    /// The keys don't matter: recordings contain `***` instead of keys, which matches any value.
    ///
    /// - Parameter file: The path of a HAR file.
    init(recordedIn file: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let recording = try JSONDecoder().decode(Recording.self, from: data)
        let urls = recording.log.entries.compactMap { URLComponents(string: $0.request.url) }
        let start = "/v1/public/"
        guard var base = urls.first(where: { $0.percentEncodedPath.contains(start) }),
            let end = base.percentEncodedPath.range(of: start)
        else {
            throw Failure("'\(file.printable)' has no recorded requests.")
        }
        base.percentEncodedPath.removeSubrange(end.lowerBound...)
        base.query = nil
        self.init(baseURL: base.string ?? "", publicKey: "recorded", privateKey: "recorded")
    }

    /// The parts of a HAR file that contain the URLs.
    private struct Recording: Decodable {
        struct Log: Decodable { let entries: [Entry] }
        struct Entry: Decodable { let request: Request }
        struct Request: Decodable { let url: String }
        let log: Log
    }
}
