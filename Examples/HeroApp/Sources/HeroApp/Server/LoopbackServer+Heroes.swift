// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer

/// The mock server of the example. Your own app uses a real server instead.
nonisolated extension LoopbackServer {
    /// The token that the server expects.
    static var sampleToken: String { "sample-token" }

    /// Starts a server with a few heroes. A search for "error" fails.
    ///
    /// - Parameter delay: Seconds before each response. Default: 0.
    static func heroes(delay: TimeInterval = 0) throws -> LoopbackServer {
        let pictures = SentPictures()
        return try LoopbackServer(recordingBodiesUpTo: 50 << 20) { request in
            answer(request, pictures).delayed(by: delay)
        }
    }

    private static func answer(
        _ request: LoopbackRequest, _ pictures: SentPictures
    ) -> LoopbackResponse {
        guard request.header("Authorization") == "Bearer \(sampleToken)" else {
            return failure("Sign in first.", status: 401)
        }
        let parts = request.path.split(separator: "/").dropFirst()  // "v1"
        let hero = parts.dropFirst().first.flatMap { id in heroes.first { "\($0.id)" == id } }
        switch (request.method, parts.first, hero, parts.dropFirst(2).first) {
        case ("GET", "heroes", nil, nil) where parts.count == 1:
            return list(request)
        case ("GET", "heroes", let hero?, nil):
            return json(hero)
        case ("GET", "heroes", let hero?, "picture"):
            let picture = pictures[hero.id] ?? .bitmap(of: hero.color)
            return .data(picture, contentType: "image/*").header("Cache-Control", "max-age=600")
        case ("PUT", "heroes", let hero?, "picture"):
            pictures[hero.id] = request.body
            return .statusCode(204)
        default:
            return failure("We couldn't find that.", status: 404)
        }
    }

    private static func list(_ request: LoopbackRequest) -> LoopbackResponse {
        let items = URLComponents(string: request.target)?.queryItems
        let name = items?.first { $0.name == "name" }?.value ?? ""
        if name == "error" {
            return failure("Heroes are busy. Try again later.", status: 503)
        }
        let found = heroes.filter {
            name.isEmpty || $0.name.lowercased().hasPrefix(name.lowercased())
        }
        return json(found)
    }

    private static func json(_ value: some Encodable) -> LoopbackResponse {
        guard let data = try? JSONEncoder().encode(value) else { return .statusCode(500) }
        return .json(String(decoding: data, as: UTF8.self))
    }

    private static func failure(_ message: String, status: Int) -> LoopbackResponse {
        .json(#"{"message": "\#(message)"}"#, statusCode: status)
    }

    private struct Record: Encodable {
        let id: Int
        let name, biography: String
        let powers: [String]
        let color: BitmapColor

        enum CodingKeys: CodingKey { case id, name, biography, powers }
    }

    private static let heroes = [
        Record(
            id: 1, name: "Hulk", biography: "Bruce Banner, a scientist with a temper.",
            powers: ["Strength", "Healing"], color: BitmapColor(red: 70, green: 150, blue: 70)),
        Record(
            id: 2, name: "Iron Man", biography: "Tony Stark, who built his own armor.",
            powers: ["Armor", "Flight"], color: BitmapColor(red: 190, green: 60, blue: 40)),
        Record(
            id: 3, name: "Spider-Man", biography: "Peter Parker, a student from Queens.",
            powers: ["Climbing", "Spider-sense"],
            color: BitmapColor(red: 220, green: 40, blue: 60)),
        Record(
            id: 4, name: "Spider-Woman", biography: "Jessica Drew, a private detective.",
            powers: ["Climbing", "Flight"], color: BitmapColor(red: 200, green: 160, blue: 40)),
        Record(
            id: 5, name: "Storm", biography: "Ororo Munroe, who commands the weather.",
            powers: ["Weather", "Flight"], color: BitmapColor(red: 120, green: 130, blue: 200)),
        Record(
            id: 6, name: "Thor", biography: "The god of thunder, with his hammer.",
            powers: ["Lightning", "Strength"], color: BitmapColor(red: 60, green: 90, blue: 160)),
    ]
}
