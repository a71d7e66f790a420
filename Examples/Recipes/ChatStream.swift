// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A chat that shows each word as soon as it arrives.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

struct ChatService: Service {
    let question: String
    var baseURL = "https://chat.example.com/v1"

    var path: String { "/completions" }
    var method: ServiceMethod { .post }
    var parameters: [String: Any]? {
        [
            "model": "small", "stream": true,
            "messages": [["role": "user", "content": question]],
        ]
    }
    // How long the model may think before it sends the next word.
    var timeout: TimeInterval? { 120 }
}

/// A part of the reply, as one server-sent event.
nonisolated struct ChatDelta: Decodable {
    struct Choice: Decodable {
        struct Content: Decodable { let content: String? }
        let delta: Content
    }

    let choices: [Choice]
}

/// Passes each part of the reply on, as soon as it arrives. Leaving the loop ends the
/// request.
func ask(
    _ service: ChatService, _ provider: ServiceProvider<ChatService>,
    show: (String) -> Void
) async throws {
    let events = try provider.events(service: service)
    for try await delta in events.decoded(as: ChatDelta.self, until: "[DONE]") {
        show(delta.choices.first?.delta.content ?? "")
    }
}
