// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Writes that survive a lost network and the end of the app.

import Foundation
import ServiceProvider

/// A write that waits in an outbox. A property that you add later must be Optional, because the
/// letters of older versions don't have it.
nonisolated struct Letter: Service, Codable, Sendable {
    var baseURL: String
    var path: String
    var verb = ServiceMethod.post.rawValue
    /// JSON.
    var content: Data
    /// Stays the same when the letter is sent again, so that a server can ignore the second one.
    var key = UUID().uuidString

    var method: ServiceMethod { ServiceMethod(rawValue: verb) }
    var headers: [String: String] { ["Idempotency-Key": key] }
    var body: ServiceBody? { .data(content, contentType: "application/json") }

    func prepare(_ request: inout ServiceRequest) {
        // A write that becomes a GET, such as one for a login page, hasn't arrived: that response
        // is an error, and the letter stays.
        request.onRedirect = { next, response, _ in
            let old = response.request.urlRequest.httpMethod
            return next.urlRequest.httpMethod == old ? next : nil
        }
    }
}

/// Keeps each letter in a file until the server has it, and sends them one by one, in order.
///
/// Call `send()` when the app starts, after `add(_:)`, and when the network is back. It goes on if
/// its caller is cancelled. If the process is killed after the server has answered, the letter is
/// sent again with its key: the server must know `Idempotency-Key`, or the path must have an ID of
/// the app's own.
actor Outbox {
    private let folder: URL
    private let provider: ServiceProvider<Letter>
    private let refused: @Sendable (Letter, ServiceError) async -> Void
    private var sending: Task<Void, any Error>?

    /// - Parameters:
    ///   - folder: Only this outbox may use it. Not in the caches, which the system empties.
    ///   - refused: Gets a letter that the server will never take, before it is removed. It may
    ///     add another letter, but must not wait for `send()`, which waits for it.
    init(
        folder: URL, provider: ServiceProvider<Letter>,
        refused: @escaping @Sendable (Letter, ServiceError) async -> Void
    ) throws {
        self.folder = folder
        self.provider = provider
        self.refused = refused
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Keeps a letter. When this returns, it survives the end of the process.
    func add(_ letter: Letter) throws {
        let last = try letters().last?.deletingPathExtension().lastPathComponent
        let number = String((last.flatMap { Int($0) } ?? 0) + 1)
        let name = String(repeating: "0", count: max(0, 12 - number.count)) + number
        let file = folder.appendingPathComponent("\(name).json")
        try JSONEncoder().encode(letter).write(to: file, options: .atomic)
    }

    /// Sends all letters, the oldest first. Throws the first error, and keeps the letter and
    /// those behind it.
    func send() async throws {
        // One that runs already may fail because of something old, such as a lost network.
        if let older = sending, (try? await older.value) != nil { return }
        let running = sending ?? Task { try await sendAll() }
        sending = running
        try await running.value
    }

    private func sendAll() async throws {
        // At once: the caller resumes later, and another letter may come in between.
        defer { sending = nil }
        while let file = try letters().first {
            let letter = try JSONDecoder().decode(Letter.self, from: Data(contentsOf: file))
            do {
                try await provider.load(service: letter)
            } catch let error as ServiceError where error.isFinal {
                await refused(letter, error)
            }
            try FileManager.default.removeItem(at: file)
        }
    }

    private func letters() throws -> [URL] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return names.filter { $0.hasSuffix(".json") }.sorted().map(folder.appendingPathComponent)
    }
}

nonisolated extension ServiceError {
    /// Whether the same request will always fail. A new token, another network, or time may help
    /// with the other errors.
    ///
    /// A 409 says that the first request with this key still runs (the draft "The Idempotency-Key
    /// HTTP Header Field", section 2.6). If it means something else at your server, remove it here.
    fileprivate var isFinal: Bool {
        if case .invalidRequest = self { return true }
        guard let statusCode, (400...499).contains(statusCode) else { return false }
        return ![401, 407, 408, 409, 421, 423, 425, 429].contains(statusCode)
    }
}
