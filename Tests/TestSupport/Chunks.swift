// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A sequence of chunks that are already in memory.
public struct Chunks: AsyncSequence {
    public var chunks: [Data]
    /// Thrown after the last chunk.
    public var error: (any Error)?

    public init(chunks: [Data], error: (any Error)? = nil) {
        self.chunks = chunks
        self.error = error
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var rest: Chunks

        public mutating func next() async throws -> Data? {
            guard rest.chunks.isEmpty else { return rest.chunks.removeFirst() }
            defer { rest.error = nil }
            if let error = rest.error { throw error }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self) }

    /// Splits a text in every way that matters: whole, in two pieces at each position, byte by
    /// byte, and byte by byte with empty chunks in between.
    public static func splits(of text: Data) -> [Chunks] {
        let bytes = text.map { Data([$0]) }
        let pairs = (0...text.count).map { [text.prefix($0), text.dropFirst($0)] }
        let spaced = bytes.flatMap { [Data(), $0, Data()] }
        return ([[text], bytes, spaced] + pairs).map { Chunks(chunks: $0) }
    }

    /// Splits a text into pieces of this size.
    public static func pieces(of text: Data, size: Int) -> Chunks {
        Chunks(
            chunks: stride(from: 0, to: text.count, by: size).map {
                text.dropFirst($0).prefix(size)
            })
    }
}

extension AsyncSequence {
    /// Returns all elements, and the error that ended the sequence.
    public func collected() async -> (elements: [Element], error: (any Error)?) {
        var elements: [Element] = []
        do {
            for try await element in self { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }
}
