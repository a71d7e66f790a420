// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

/// An endpoint that may have a decoder and headers of its own.
struct AnsweringService: Service, Sendable {
    var baseURL: String
    var path = "/answer"
    var headers: [String: String] = [:]
    var decoder: (any ServiceDecoder)?
}

struct Hero: Decodable, Equatable {
    var id: Int
    var name: String?
}

extension LoopbackServer {
    /// An endpoint that answers so.
    func answering(
        _ answer: LoopbackAnswer, decoder: (any ServiceDecoder)? = nil
    ) -> AnsweringService {
        enqueue(answer)
        return AnsweringService(baseURL: baseURL, decoder: decoder)
    }
}

/// The error of a call that must fail.
func failure(
    sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Void
) async throws -> ServiceError {
    do {
        try await call()
    } catch {
        return try #require(error as? ServiceError, sourceLocation: sourceLocation)
    }
    Issue.record("no error", sourceLocation: sourceLocation)
    throw CancellationError()
}
