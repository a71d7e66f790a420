// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Several folders need this.
nonisolated extension ServiceRequest {
    /// A response that doesn't come from a server. It's handled like any response, even by a body
    /// sink.
    package func makeResponse(
        _ status: Int, _ fields: [String: String], _ data: Data
    ) throws -> ServiceResponse {
        // HTTPURLResponse on Linux takes half a second to parse 100 KB of these, and minutes for 1 MB.
        let isLong = fields.contains { name, value in
            let isParsed = ["content-type", "content-disposition"].contains(name.lowercased())
            return isParsed && value.utf8.count > 8_192
        }
        guard !isLong, (100...999).contains(status) else { throw URLError(.badServerResponse) }
        var fields = fields
        if !data.isEmpty {
            fields = fields.adding("Content-Length", "\(data.count)")
        }
        let head = ServiceResponse(request: self, statusCode: status, headers: fields)
        let builder = ServiceResponseBuilder(for: self, control: ServiceTransferControl {})
        if let body = urlRequest.httpBody {
            builder.didSend(Int64(body.count))
        }
        do {
            _ = try builder.didReceive(head)
            if !data.isEmpty {
                try builder.didReceive(data)
            }
        } catch {
            return try builder.end(error)
        }
        return try builder.end(nil)
    }

    /// Sets a header field, unless the service has set it.
    package mutating func setDefaultHeader(_ name: String, _ value: String) throws {
        guard urlRequest.value(forHTTPHeaderField: name) == nil else { return }
        try setHeader(name, value)
    }

    /// Whether the body of a successful response goes to a sink instead of `ServiceResponse.data`.
    package var deliversBody: Bool { bodySink.map { $0.destination != .memory } ?? false }
}

nonisolated extension [String: String] {
    /// With one more header field, unless it is there already.
    package func adding(_ name: String, _ value: String) -> Self {
        let isThere = keys.contains { $0.lowercased() == name.lowercased() }
        guard !isThere else { return self }
        var fields = self
        fields[name] = value
        return fields
    }
}

nonisolated extension CocoaError {
    /// The text of an error of a file.
    ///
    /// Foundation has no text of its own for some errors, such as a file that grows beyond the process's limit.
    /// Then it's the text of the system's error.
    package static func text(of error: any Error) -> String {
        let unknown: Set<CocoaError.Code> = [.fileReadUnknown, .fileWriteUnknown]
        if let known = error as? CocoaError, unknown.contains(known.code) {
            return (known.underlying ?? error).localizedDescription
        }
        return error.localizedDescription
    }
}

nonisolated extension URLError {
    /// Makes an error with a text that says what failed.
    package init(_ code: Code, _ text: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
