// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// A response that doesn't come from a server. It's handled like any response, even by a body
    /// sink.
    func makeResponse(
        _ status: Int, _ fields: [String: String], _ body: ServiceArchiveSource
    ) throws -> ServiceResponse {
        // HTTPURLResponse on Linux takes half a second to parse 100 KB of these, and minutes for 1 MB.
        let isLong = fields.contains { name, value in
            let isParsed = ["content-type", "content-disposition"].contains(name.lowercased())
            return isParsed && value.utf8.count > 8_192
        }
        guard !isLong, (100...999).contains(status) else { throw URLError(.badServerResponse) }
        var fields = fields
        if body.size > 0 {
            fields = fields.adding("Content-Length", "\(body.size)")
        }
        let head = ServiceResponse(request: self, statusCode: status, headers: fields)
        let builder = ServiceResponseBuilder(for: self, control: ServiceTransferControl {})
        if let body = urlRequest.httpBody {
            builder.didSend(Int64(body.count))
        }
        do {
            _ = try builder.didReceive(head: head)
            if bodySink?.destination == .stream {
                // The caller doesn't read it yet, and the buffer of a stream takes only the first piece of a large
                // body.
                try builder.didReceive(chunk: body.bytes(in: 0..<body.size))
            } else {
                try body.forEachPiece { piece, _ in
                    try builder.didReceive(chunk: piece)
                }
            }
        } catch {
            return try builder.end(error)
        }
        return try builder.end(nil)
    }
}

nonisolated extension [String: String] {
    /// With one more header field, unless it is there already.
    func adding(_ name: String, _ value: String) -> Self {
        let isThere = keys.contains { $0.lowercased() == name.lowercased() }
        guard !isThere else { return self }
        var fields = self
        fields[name] = value
        return fields
    }
}
