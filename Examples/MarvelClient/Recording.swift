// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// A HAR file of this program's traffic.
struct Recording {
    let file: String
    let data: Data

    /// Reads a file, or a pipe, which can be read only once.
    ///
    /// - Throws: `ServiceError.invalidRequest(_:reason:)`.
    init(file: String) throws {
        self.file = file
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
            data = try handle.readToEnd() ?? Data()
        } catch {
            let reason = ((error as? CocoaError)?.underlying ?? error).localizedDescription
            throw ServiceError.invalidRequest(.file, reason: "'\(file)' can't be read: \(reason)")
        }
    }

    /// The base URL of the recorded requests, and any keys.
    ///
    /// The keys don't matter: recordings contain `***` instead of keys, which matches any value.
    ///
    /// - Throws: ``Failure`` if there are no requests, or `DecodingError` if the data isn't a HAR
    ///   file.
    var account: MarvelAccount {
        get throws {
            let urls = try JSONDecoder().decode(Archive.self, from: data).log.entries
                .compactMap { URLComponents(string: $0.request.url) }
            let start = "/v1/public/"
            guard var base = urls.first(where: { $0.percentEncodedPath.contains(start) }),
                let end = base.percentEncodedPath.range(of: start)
            else {
                throw Failure("'\(file.printable)' has no recorded requests.")
            }
            base.percentEncodedPath.removeSubrange(end.lowerBound...)
            base.query = nil
            return MarvelAccount(
                baseURL: base.string ?? "", publicKey: "recorded", privateKey: "recorded")
        }
    }

    /// The parts of a HAR file that contain the URLs.
    private struct Archive: Decodable {
        struct Log: Decodable { let entries: [Entry] }
        struct Entry: Decodable { let request: Request }
        struct Request: Decodable { let url: String }
        let log: Log
    }
}
