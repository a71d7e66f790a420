// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// GraphQL: all operations have one URL, and errors come with status 200.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// A query or a mutation. All of them have the same URL.
struct GraphQLOperation: Service {
    let text: String
    var variables: [String: String] = [:]

    var baseURL: String { "https://heroes.example.com/graphql" }
    var path: String { "" }
    var method: ServiceMethod { .post }
    var body: ServiceBody? { .json(Content(query: text, variables: variables)) }

    func prepare(_ request: inout ServiceRequest) {
        // A query may be sent again, for example by ServiceRetry.
        request.isRepeatable = text.hasPrefix("query")
    }

    private struct Content: Encodable {
        let query: String
        let variables: [String: String]
    }
}

/// The reply to an operation: data, or errors with status 200.
struct GraphQLReply<Data: Decodable>: Decodable {
    struct Failure: Decodable, LocalizedError {
        let message: String
        var errorDescription: String? { message }
    }

    private enum CodingKeys: CodingKey { case data, errors }

    let data: Data?
    let errors: [Failure]

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: CodingKeys.self)
        errors = try reply.decodeIfPresent([Failure].self, forKey: .errors) ?? []
        // Data that comes with errors may have null where the type needs a value.
        data = errors.isEmpty ? try reply.decodeIfPresent(Data.self, forKey: .data) : nil
    }

    var content: Data {
        get throws {
            if let error = errors.first { throw error }
            guard let data else { throw Failure(message: "The reply has no data.") }
            return data
        }
    }
}

struct HeroByName: Decodable {
    struct Hero: Decodable {
        let name: String
        let power: String
    }

    let hero: Hero
}

func loadHero(
    _ name: String, from provider: ServiceProvider<GraphQLOperation>
) async throws -> HeroByName.Hero {
    let operation = GraphQLOperation(
        text: "query Hero($name: String!) { hero(name: $name) { name power } }",
        variables: ["name": name])
    let reply = try await provider.load(
        service: operation, decodeType: GraphQLReply<HeroByName>.self)
    return try reply.content.hero
}
