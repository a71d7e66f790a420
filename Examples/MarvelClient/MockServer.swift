// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer

/// A server on this computer that responds like Marvel's, because that was retired in 2025.
enum MockServer {
    static func start() throws -> LoopbackServer {
        // Otherwise, a proxy in the environment would get the requests.
        setenv("no_proxy", "127.0.0.1", 1)
        return try LoopbackServer(handler: response)
    }

    private static func response(to request: LoopbackRequest) -> LoopbackResponse {
        guard !request.path.hasPrefix("/pictures/") else { return picture }
        let items = URLComponents(string: request.target)?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, $0.value?.lowercased() ?? "") }) { $1 }
        guard query["apikey", default: ""] != "" else {
            return .json(#"{"message": "The passed API key is invalid."}"#, statusCode: 401)
        }
        let id = request.path.split(separator: "/").last.flatMap { Int($0) }
        let found = zip(1_009_144..., names).filter { number, name in
            guard id == nil else { return id == number }
            let name = name.lowercased()
            return name == query["name"] ?? name && name.hasPrefix(query["nameStartsWith"] ?? "")
        }
        guard id == nil || !found.isEmpty else {
            return .json(#"{"status": "We couldn't find that character"}"#, statusCode: 404)
        }
        let offset = query["offset"].flatMap { Int($0) } ?? 0
        let pictures = "http://\(request.header("Host") ?? "")/pictures"
        let results = found.dropFirst(offset).prefix(20).map { number, name in
            let date = name == "Daily Bugle" ? "-0001-11-30" : "2014-04-29"
            return """
                {"id": \(number), "name": "\(name)", "modified": "\(date)T14:18:17-0400",
                 "thumbnail": {"path": "\(pictures)/\(number)", "extension": "ppm"}}
                """
        }.joined(separator: ", ")
        let data = #""offset": \#(offset), "total": \#(found.count), "results": [\#(results)]"#
        return .json("{\"data\": {\(data)}}")
    }

    /// A gray picture, 512 × 512 × 3 bytes, sent in pieces so that the progress bar moves.
    private static let picture = LoopbackResponse.data(pixels).dripping(bytes: 40_000, every: 0.03)
    private static let pixels = Data("P6 512 512 255\n".utf8) + Data(repeating: 128, count: 786_432)

    private static let names = [
        "A.I.M.", "Avengers", "Beast", "Black Panther", "Black Widow", "Captain America",
        "Daily Bugle", "Daredevil", "Doctor Strange", "Elektra", "Hulk", "Iron Man", "Loki",
        "Spider-Girl", "Spider-Ham", "Spider-Man", "Spider-Man (2099)", "Spider-Man (Noir)",
        "Spider-Woman", "Thanos", "Thor", "Ultron", "Wolverine", "X-Men",
    ]
}
