// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Models and endpoints as a generator writes them.
nonisolated struct Item: Codable, Equatable, Identifiable {
    var id: String
    var name: String?
    var premiereDate: Date?

    init(id: String, name: String? = nil, premiereDate: Date? = nil) {
        (self.id, self.name, self.premiereDate) = (id, name, premiereDate)
    }
}

nonisolated struct ItemPage: Codable, Equatable {
    var items: [Item]?
    var total: Int?
}

nonisolated struct UserPolicy: Codable, Equatable {
    var isAdministrator: Bool?
    var maxSessions: Int?
}

enum Paths {
    static func getSystemInfo() -> Request<Item> {
        Request(path: "/System/Info", method: "GET")
    }

    static func pingSystem() -> Request<String> {
        Request(path: "/System/Ping", method: "GET")
    }

    static func restart() -> Request<Void> {
        Request(path: "/System/Restart", method: "POST")
    }

    static func shutdown() -> Request<Void> {
        Request(path: "/System/Shutdown", method: "POST")
    }

    static func getLogs() -> Request<[Item]> {
        Request(path: "/System/Logs", method: "GET")
    }

    static func getLogFile(name: String) -> Request<Data> {
        Request(path: "/System/Logs/Log", method: "GET", query: [("name", name)])
    }

    static func getUsers(isHidden: Bool? = nil, isDisabled: Bool? = nil) -> Request<[Item]> {
        Request(
            path: "/Users", method: "GET",
            query: [("isHidden", isHidden?.asQueryValue), ("isDisabled", isDisabled?.asQueryValue)])
    }

    static func getItems(
        userID: String, parentID: String? = nil, limit: Int? = nil, fields: [String]? = nil
    ) -> Request<ItemPage> {
        Request(
            path: "/Users/\(userID)/Items", method: "GET",
            query: [
                ("parentId", parentID), ("limit", limit.map(String.init)),
                ("fields", fields?.joined(separator: ",")),
            ])
    }

    static func getResume(userID: String) -> Request<ItemPage?> {
        Request(path: "/Users/\(userID)/Items/Resume", method: "GET")
    }

    static func updateItem(id: String, _ body: Item) -> Request<Void> {
        Request(path: "/Items/\(id)", method: "POST", body: body)
    }

    static func deleteItem(id: String) -> Request<Void> {
        Request(path: "/Items/\(id)", method: "DELETE")
    }

    static func getImage(id: String, type: String, width: Int) -> Request<Data> {
        Request(
            path: "/Items/\(id)/Images/\(type)", method: "GET", query: [("width", String(width))],
            headers: ["Accept": "image/png"])
    }

    static func headImage(id: String, type: String) -> Request<Void> {
        Request(path: "/Items/\(id)/Images/\(type)", method: "HEAD")
    }

    static func setImage(id: String, type: String, _ body: Data) -> Request<Void> {
        Request(
            path: "/Items/\(id)/Images/\(type)", method: "POST", body: body,
            headers: ["Content-Type": "image/png"])
    }

    static func markPlayed(userID: String, itemID: String, date: Date? = nil) -> Request<
        Item
    > {
        Request(
            path: "/Users/\(userID)/PlayedItems/\(itemID)", method: "POST",
            query: [("datePlayed", date.map { $0.formatted(.iso8601) })])
    }

    static func search(term: String) -> Request<ItemPage> {
        Request(path: "/Search/Hints", method: "GET", query: [("searchTerm", term)])
    }

    static func addToPlaylist(id: String, ids: [String]) -> Request<Void> {
        Request(path: "/Playlists/\(id)/Items", method: "POST", body: ids)
    }

    static func getSubtitles(id: String) -> Request<String> {
        Request(path: "/Videos/\(id)/Subtitles.vtt", method: "GET")
    }

    static func sendMessage(id: String, _ text: String) -> Request<Void> {
        Request(
            path: "/Sessions/\(id)/Message", method: "POST", body: text,
            headers: ["Content-Type": "text/plain"])
    }

    static func getConfiguration() -> Request<Data> {
        Request(path: "/System/Configuration", method: "GET")
    }

    static func updateConfiguration(_ body: Data) -> Request<Void> {
        Request(path: "/System/Configuration", method: "POST", body: body)
    }

    static func getDisplayPreferences(id: String, client: String) -> Request<
        [String: String]?
    > {
        Request(path: "/DisplayPreferences/\(id)", method: "GET", query: [("client", client)])
    }

    static func replacePlugin(id: String, _ body: UserPolicy) -> Request<UserPolicy> {
        Request(path: "/Plugins/\(id)", method: "PUT", body: body)
    }

    static func patchPlugin(id: String, _ body: UserPolicy) -> Request<UserPolicy> {
        Request(path: "/Plugins/\(id)", method: "PATCH", body: body)
    }
}

extension Bool {
    fileprivate var asQueryValue: String { self ? "true" : "false" }
}

/// Nested paths, the other style of generators.
extension Paths {
    static var genres: Genres { Genres(path: "/Genres") }

    struct Genres {
        let path: String

        var get: Request<[Item]> {
            Request(path: path, method: .get, query: [("all", nil), ("sort", "a b+c")])
        }

        func post(_ body: Item) -> Request<Item> {
            Request(path: path, method: .post, body: body, id: "createGenre")
        }

        func genre(_ name: String) -> WithName { WithName(path: "\(path)/\(name)") }
    }

    struct WithName {
        let path: String

        var delete: Request<Void> { Request(path: path, method: .delete) }
        var trace: Request<String> { .init(path: path, method: .trace) }
    }
}
