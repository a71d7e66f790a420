// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

struct ProfileAPI: Service {
    let baseURL: String
    var path: String { "/profile" }
}

/// The server's own error.
struct Problem: Decodable {
    let message: String
}

/// Shows errors to people.
@MainActor final class ProfileScreen {
    var alert = ""

    func load(_ endpoint: ProfileAPI) {
        ServiceProvider<ProfileAPI>().load(service: endpoint) { [weak self] result in
            switch result {
            case .success, .empty: self?.alert = "Loaded"
            case .failure(let error): self?.alert = Self.text(for: error)
            }
        }
    }

    private static func text(for error: ServiceError) -> String {
        if error.statusCode == 401 {
            return "Please sign in."
        }
        let problem = try? error.response?.decode(Problem.self)
        return problem?.message ?? error.localizedDescription
    }
}

@Suite(.serialized, .opensFiles, .timeLimit) struct AlertClientTests {
    @MainActor private func alert(_ response: LoopbackResponse?) async throws -> String {
        let server = try LoopbackServer()
        if let response {
            server.enqueue(response)
        } else {
            server.stop()
        }
        let screen = ProfileScreen()
        screen.load(ProfileAPI(baseURL: server.baseURL))
        while screen.alert.isEmpty {
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        return screen.alert
    }

    @Test func errorsAreShown() async throws {
        #expect(try await alert(.statusCode(401)) == "Please sign in.")
        let locked = LoopbackResponse.json(#"{"message": "Locked"}"#, statusCode: 423)
        #expect(try await alert(locked) == "Locked")
        #expect(try await alert(.text("{}")) == "Loaded")
        #expect(try await alert(.statusCode(204)) == "Loaded")
    }

    @Test func thePlatformsErrorsAreSentences() async throws {
        for response in [nil, .statusCode(500), .text("not JSON", statusCode: 400)]
            as [LoopbackResponse?]
        {
            let text = try await alert(response)
            #expect(text.hasSuffix("."))
            #expect(text.split(separator: " ").count > 2)
            #expect(!text.contains("ServiceError"))
        }
    }
}
