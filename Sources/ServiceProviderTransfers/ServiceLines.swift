// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension AsyncSequence where Element == Data {
    /// The lines of a UTF-8 text, without their ends (LF, CR or CRLF). The last line needs no end.
    ///
    /// - Parameter maximumLength: The most bytes in a line; a longer one is an error. Default: 1 MB.
    public func lines(maximumLength: Int = 1 << 20) -> ServiceLines<Self> {
        ServiceLines(base: self, maximumLength: maximumLength)
    }
}

/// The lines of a text that arrives in chunks.
public nonisolated struct ServiceLines<Base: AsyncSequence>: AsyncSequence, AsyncIteratorProtocol,
    ServiceResponseSource
where Base.Element == Data {
    /// The chunks; nil once reading has started.
    var base: Base?
    let maximumLength: Int
    /// Whether a last line without an end counts.
    var keepsUnfinished = true
    var source: Base.AsyncIterator?
    /// The response that the chunks belong to, once reading has started.
    var response: ServiceResponse?
    /// The unread rest of the last chunk.
    var chunk: ArraySlice<UInt8> = []
    /// The start of a line that continues in the next chunk.
    var line: [UInt8] = []
    var isAfterCR = false

    /// Starts reading.
    public func makeAsyncIterator() -> Self { self }

    /// The next line; nil at the end, and after an error.
    ///
    /// - Throws: The errors of the chunks; `ServiceError.transport(_:)` with
    ///   `URLError.dataLengthExceedsMaximum` if a line is too long.
    @concurrent public mutating func next() async throws -> String? {
        while true {
            let isWithinCRLF = isAfterCR && chunk.first == UInt8(ascii: "\n")
            if isWithinCRLF {
                chunk = chunk.dropFirst()
            }
            isAfterCR = isAfterCR && !isWithinCRLF && chunk.isEmpty
            let part = chunk.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            try check(line.count + part.count, "A line")
            line += part
            chunk = chunk.dropFirst(part.count)
            if let end = chunk.popFirst() {
                isAfterCR = end == UInt8(ascii: "\r")
                defer { line.removeAll(keepingCapacity: true) }
                return String(decoding: line, as: UTF8.self)
            }
            if let base {
                response = (base as? ServiceStream)?.response
            }
            // If `next()` throws, the source isn't put back, so the lines end with the error.
            guard var source = base.take()?.makeAsyncIterator() ?? source.take() else { return nil }
            guard let more = try await source.next() else { break }
            self.source = source
            chunk = ArraySlice(more)
        }
        guard keepsUnfinished, !line.isEmpty else { return nil }
        return String(decoding: line, as: UTF8.self)
    }

    /// Stops reading and throws if a line or an event is too long.
    mutating func check(_ size: Int, _ name: String) throws {
        guard size > maximumLength else { return }
        source = nil
        chunk = []
        let text = "\(name) is longer than \(maximumLength) bytes."
        throw ServiceError.transport(.init(.dataLengthExceedsMaximum, text))
    }
}

nonisolated extension ServiceLines: Sendable where Base: Sendable, Base.AsyncIterator: Sendable {}
