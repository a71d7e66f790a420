// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Writes the body of a download to its files.
///
/// With `.resume`, this innermost interceptor requests the missing bytes each time, so that a retry
/// continues where the last attempt stopped.
nonisolated final class ServicePartialFile: ServiceBodySink, ServiceInterceptor {
    private struct State {
        /// Nil before `create()`, and after `cleanUp()`.
        var files: ServiceDownloadFiles?
        var isReceiving = false
        /// The range of the last response; nil if it was the whole file.
        var range: ServiceContentRange?
        /// Whether the last response wasn't the rest of these bytes.
        var isMismatch = false
        /// Whether the last response was received to its end.
        var isComplete = false
        /// The digest of the requested URL.
        var source = ""
        /// How many bytes the file had before the last attempt.
        var earlierSize: Int64 = 0
        /// Whether the service requested a range, so that the file has only that range.
        var hasOwnRange = false
    }

    private let target: ServiceDownloadTarget
    private let check: ServiceDownloadCheck
    /// Whether the bytes of a failed download are kept.
    let isKept: Bool
    private let state = ServiceLocked(State())
    private static let wrongRange = URLError(
        .badServerResponse, "The server sent the wrong byte range.")
    private static let inUse = URLError(.cannotOpenFile, "The file is in use.")

    init(_ target: ServiceDownloadTarget, _ check: ServiceDownloadCheck) {
        self.target = target
        self.check = check
        isKept = ServiceDownloadFiles.areKept(for: target)
    }

    /// Creates the files, or reuses an earlier download's, and locks them until `cleanUp()`.
    ///
    /// It's called before anything is sent: a file that can't be written needn't be loaded.
    func create() throws {
        try target.prepare()
        let files = try target.creating(target.place) { try ServiceDownloadFiles(for: target) }
        state.withLock { $0.files = files }
    }

    /// Removes the files, unless a later download can continue them.
    func cleanUp() { state.withLock { $0.files.take() }?.cleanUp() }

    private func files() throws -> ServiceDownloadFiles {
        guard let files = state.withLock({ $0.files }) else { throw URLError(.cannotWriteToFile) }
        return files
    }

    // MARK: - Requesting the rest

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let files = try files()
        try files.check()
        let source = Self.digest(of: request)
        let hasOwnRange = request.urlRequest.value(forHTTPHeaderField: "Range") != nil
        state.withLock { state in
            state.source = source
            state.earlierSize = files.size
            state.hasOwnRange = hasOwnRange
        }
        // Another URL may have the same `ETag` for another file.
        if hasOwnRange || files.notes?.source.isIdentical(to: source) != true {
            files.notes = nil
        }
        if let notes = files.notes, files.size > 0 {
            let response = try await rest(of: request, notes, files, next)
            if let response { return response }
        }
        files.notes = nil
        return try await next(request)
    }

    /// Requests the rest, which may come in several responses (RFC 9110, section 15.3.7). Nil if the server's file
    /// isn't the one that these bytes are from.
    @concurrent private func rest(
        of request: ServiceRequest, _ notes: ServiceDownloadNotes, _ files: ServiceDownloadFiles,
        _ next: ServiceNext
    ) async throws -> ServiceResponse? {
        var part: ServiceResponse?
        var start = files.size
        var request = request
        request.validStatusCodes.insert(206)
        try request.setHeader("If-Range", to: notes.etag)
        while true {
            try request.setHeader("Range", to: "bytes=\(start)-")
            let response: ServiceResponse
            do {
                response = try await next(request)
            } catch {
                guard state.withLock({ $0.isMismatch }) else { throw error }
                return nil
            }
            switch response.statusCode {
            case 206:
                let size = files.size
                let isShort = state.withLock { $0.range.map { $0.total ?? .max > size } ?? false }
                guard isShort, size > start else { return response }
                part = response
                start = size
            case 416:
                // The server's file has no more bytes than this one. After a part of it, that's its end.
                if let part { return part }
                // If it has as many, its last byte shows whether it's the same version.
                let total = ServiceContentRange.total(response.header("Content-Range"))
                guard start == files.size, total == start else { return nil }
                start -= 1
            default: return response
            }
        }
    }

    /// A digest of a URL: a server may repeat a secret in the URL of a redirect, so the notes have no URL. Secrets don't
    /// count, and neither does a query that has one, because a signature is new in each call.
    private static func digest(of request: ServiceRequest) -> String {
        let url = request.urlRequest.url?.absoluteString ?? ""
        let shown = request.redacting(url: url)
        let (path, query) = parts(of: shown)
        guard query.isIdentical(to: parts(of: url).query) else {
            return String(path).digest
        }
        return shown.digest
    }

    /// By bytes: characters with many combining marks are slow to compare.
    private static func parts(of url: String) -> (path: Substring, query: Substring) {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex
        return (url[..<end], url[end...])
    }

    // MARK: - Writing the bytes

    var destination: ServiceBodyDestination { .sink }

    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        if target.isFolder {
            try target.check(target.file(for: response))
        }
        let files = try files()
        try state.withLock { state in
            // Two responses at the same time would mix their bytes.
            guard !state.isReceiving else { throw Self.inUse }
            state.isComplete = false
            state.isMismatch = false
            state.range = nil
            if response.statusCode == 206, !state.hasOwnRange {
                try beginRest(response, files, &state)
            } else {
                try beginWhole(response, files, &state)
            }
            state.isReceiving = true
        }
    }

    private func beginWhole(
        _ response: ServiceResponse, _ files: ServiceDownloadFiles, _ state: inout State
    ) throws {
        // Removes the old ETag before its bytes, and sets the new one after that.
        files.notes = nil
        try failing(.cannotOpenFile) { try files.truncate(at: 0) }
        if !state.hasOwnRange {
            files.notes = Self.notes(of: response, state.source)
        }
    }

    private func beginRest(
        _ response: ServiceResponse, _ files: ServiceDownloadFiles, _ state: inout State
    ) throws {
        let new = Self.notes(of: response, state.source)
        let isSame: Bool
        if let notes = files.notes {
            isSame = new?.isSame(as: notes) == true
        } else {
            isSame = new == nil
        }
        // The rest has to start within these bytes or right after them, in the same version.
        let range = ServiceContentRange(response.header("Content-Range"))
        guard isSame, let range, range.start <= files.size else {
            state.isMismatch = true
            throw Self.wrongRange
        }
        state.range = range
        try failing(.cannotOpenFile) { try files.truncate(at: range.start) }
    }

    private static func notes(
        of response: ServiceResponse, _ source: String
    ) -> ServiceDownloadNotes? {
        guard response.header("Content-Encoding") == nil, let etag = response.header("ETag")
        else { return nil }
        let target = digest(of: response.request)
        return ServiceDownloadNotes(etag: etag, source: source, target: target)
    }

    func receive(_ chunk: Data) throws {
        let files = try files()
        try failing(.cannotWriteToFile) { try files.append(chunk) }
        if let range = state.withLock({ $0.range }), files.size > range.end + 1 {
            // Without them, the bytes aren't kept.
            files.notes = nil
            throw Self.wrongRange
        }
        if let wanted = check.size, files.size > wanted {
            files.notes = nil
            throw URLError(.badServerResponse, "The file has more than \(wanted) bytes.")
        }
    }

    func end(_ error: (any Error)?) {
        state.withLock { state in
            state.isReceiving = false
            state.isComplete = error == nil
        }
    }

    // MARK: - Finishing the file

    /// Moves the complete file into place.
    ///
    /// - Parameter response: Has a body if an interceptor returned it from memory.
    func finish(with response: ServiceResponse) throws {
        let files = try files()
        let state = try state.withLock { state in
            // From here on, no other response of the call may change the file.
            guard !state.isReceiving else { throw Self.inUse }
            state.isReceiving = true
            return state
        }
        if !state.isComplete || !response.data.isEmpty {
            files.notes = nil
            try failing(.cannotWriteToFile) {
                try files.truncate(at: 0)
                try files.append(response.data)
            }
        } else if let range = state.range {
            let end = range.total ?? range.end + 1
            guard files.size == end else {
                // If the server is wrong about the size, each later download would fail.
                if files.size <= state.earlierSize {
                    files.notes = nil
                }
                throw Self.wrongRange
            }
        }
        // Without them, the file isn't kept if a check fails.
        files.notes = nil
        let size = files.size
        if let wanted = check.size, wanted != size {
            throw URLError(.badServerResponse, "The file has \(size) bytes instead of \(wanted).")
        }
        try failing(.cannotWriteToFile) { try files.synchronize() }
        try check.verify?(files.url)
        let file = target.file(for: response)
        let isReplacing = target.options.contains(.overwrite)
        if isReplacing {
            // Another program may have put a link there meanwhile.
            try target.check(file)
        }
        try failing(.cannotMoveFile) {
            try files.move(to: file, replacing: isReplacing)
        }
    }

    /// Runs a closure, and turns the system's error into a `URLError` with a code.
    private func failing<Value>(_ code: URLError.Code, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as URLError {
            throw error
        } catch {
            throw URLError(code, CocoaError.text(of: error) + ".")
        }
    }
}
