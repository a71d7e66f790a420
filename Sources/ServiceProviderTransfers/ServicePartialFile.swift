// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The file that a download writes to until it is complete.
///
/// With `.resume`, this innermost interceptor requests the missing bytes each time, so that a retry
/// continues where the last attempt stopped.
nonisolated final class ServicePartialFile: ServiceBodySink, ServiceInterceptor {
    private struct State {
        var handle: FileHandle?
        /// The size of the complete file; nil if it isn't known.
        var total: Int64?
        /// Whether the last response wasn't the rest of these bytes.
        var isMismatch = false
        /// Whether the last response was received to its end.
        var isComplete = false
        /// The digest of the requested URL.
        var source = ""
        /// Whether the service requested a range, so that the file has only that range.
        var hasOwnRange = false
        /// Held while this download may write to the file.
        var lock: ServiceFileLock?
    }

    private let target: ServiceDownloadTarget
    private let check: ServiceDownloadCheck
    /// Whether the bytes of a failed download are kept.
    let isKept: Bool
    private let url: URL
    private let notesURL: URL
    private let state = ServiceLocked(State())
    private static let wrongRange = URLError(
        .badServerResponse, "The server sent the wrong byte range.")

    init(_ target: ServiceDownloadTarget, _ check: ServiceDownloadCheck) {
        self.target = target
        self.check = check
        let place = target.place.lastPathComponent
        // Names have at most 255 bytes.
        isKept = target.options.contains(.resume) && place.utf8.count <= 245
        let name = isKept ? place : ".\(UUID().uuidString)"
        url = target.folder.appendingPathComponent(name + ".part")
        notesURL = url.appendingPathExtension("etag")
    }

    /// The size in bytes; 0 for a symbolic link.
    private var size: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return 0 }
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// The source of the bytes; nil if it isn't known.
    private var notes: ServiceDownloadNotes? {
        get { isKept ? ServiceDownloadNotes(at: notesURL) : nil }
        set {
            unlink(notesURL.path)
            guard isKept else { return }
            try? newValue?.write(to: notesURL)
        }
    }

    // MARK: - Creating the file

    /// Creates the file, or reuses an earlier download's, and locks it until `cleanUp()`.
    ///
    /// It's called before anything is sent: a file that can't be written needn't be loaded.
    func create() throws {
        try target.prepare()
        try ServiceDownloadTarget.creating(url) {
            if isKept {
                try lock()
            } else {
                try Data().write(to: url, options: .withoutOverwriting)
            }
        }
    }

    private func lock() throws {
        let lock = try ServiceFileLock(url.path)
        // Its bytes are of an unknown version.
        if notes == nil {
            try lock.empty()
        }
        state.withLock { $0.lock = lock }
    }

    // MARK: - Requesting the rest

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let source = Self.digest(of: request)
        let hasOwnRange = request.urlRequest.value(forHTTPHeaderField: "Range") != nil
        state.withLock { state in
            state.source = source
            state.hasOwnRange = hasOwnRange
        }
        // Another URL may have the same `ETag` for another file.
        if hasOwnRange || notes?.source.isIdentical(to: source) != true {
            notes = nil
        }
        guard let notes else { return try await next(request) }
        var rest = request
        try rest.setHeader("Range", to: "bytes=\(size)-")
        try rest.setHeader("If-Range", to: notes.etag)
        rest.validStatusCodes.insert(206)
        do {
            let response = try await next(rest)
            // 416: the server's file has no more bytes than this one.
            guard response.statusCode == 416 else { return response }
        } catch {
            guard state.withLock({ $0.isMismatch }) else { throw error }
        }
        self.notes = nil
        return try await next(request)
    }

    /// A digest of a URL (FNV-1a): a server may repeat a secret in the URL of a redirect, so the notes have no
    /// URL. The query doesn't count if it has a secret, because a signature is new in each call.
    private static func digest(of request: ServiceRequest) -> String {
        var url = request.urlRequest.url?.absoluteString ?? ""
        let isPublic = request.redacting(url: url).isIdentical(to: url)
        if !isPublic {
            url = request.redacting(url: String(url.prefix { $0 != "?" }))
        }
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in url.utf8 {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return String(digest, radix: 16)
    }

    // MARK: - Writing the bytes

    var destination: ServiceBodyDestination { .sink }

    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        if target.isFolder {
            try target.check(target.file(for: response))
        }
        try state.withLock { state in
            // Two responses at the same time would mix their bytes.
            guard state.handle == nil else {
                throw URLError(.cannotOpenFile, "The file is in use.")
            }
            state.isComplete = false
            state.isMismatch = false
            state.total = nil
            if response.statusCode == 206, !state.hasOwnRange {
                try beginRest(response, &state)
            } else {
                try beginWhole(response, &state)
            }
        }
    }

    private func beginWhole(_ response: ServiceResponse, _ state: inout State) throws {
        // Removes the old ETag before its bytes, and sets the new one after that.
        notes = nil
        state.handle = try open(at: 0)
        if !state.hasOwnRange {
            notes = Self.notes(of: response, state.source)
        }
    }

    private func beginRest(_ response: ServiceResponse, _ state: inout State) throws {
        let new = Self.notes(of: response, state.source)
        let isSame: Bool
        if let notes {
            isSame = new?.isSame(as: notes) == true
        } else {
            isSame = new == nil
        }
        // The rest has to start within these bytes or right after them, in the same version.
        let range = ServiceContentRange(response.header("Content-Range"))
        guard isSame, let range, range.start <= size else {
            state.isMismatch = true
            throw Self.wrongRange
        }
        state.total = range.total
        state.handle = try open(at: range.start)
    }

    private static func notes(
        of response: ServiceResponse, _ source: String
    ) -> ServiceDownloadNotes? {
        guard response.header("Content-Encoding") == nil, let etag = response.header("ETag")
        else { return nil }
        let target = digest(of: response.request)
        return ServiceDownloadNotes(etag: etag, source: source, target: target)
    }

    private func open(at offset: Int64) throws -> FileHandle {
        try failing(.cannotOpenFile) {
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(clamping: offset))
            return handle
        }
    }

    func receive(_ chunk: Data) throws {
        guard let handle = state.withLock({ $0.handle }) else { throw URLError(.cannotWriteToFile) }
        try failing(.cannotWriteToFile) { try handle.write(contentsOf: chunk) }
        guard let wanted = check.size, try handle.offset() > UInt64(clamping: wanted) else {
            return
        }
        // Without them, the bytes aren't kept.
        notes = nil
        throw URLError(.badServerResponse, "The file has more than \(wanted) bytes.")
    }

    func end(_ error: (any Error)?) {
        state.withLock { state in
            try? state.handle?.close()
            state.handle = nil
            state.isComplete = error == nil
        }
    }

    // MARK: - Finishing the file

    /// Moves the complete file into place.
    ///
    /// - Parameter response: Has a body if an interceptor returned it from memory.
    func finish(with response: ServiceResponse) throws {
        let state = state.withLock { $0 }
        if !state.isComplete || !response.data.isEmpty {
            try failing(.cannotWriteToFile) { try response.data.write(to: url) }
        } else if let total = state.total, total != size {
            throw Self.wrongRange
        }
        // Without them, the file isn't kept if a check fails.
        notes = nil
        if let wanted = check.size, wanted != size {
            throw URLError(.badServerResponse, "The file has \(size) bytes instead of \(wanted).")
        }
        try check.verify?(url)
        try failing(.cannotMoveFile) { try target.move(url, for: response) }
    }

    /// Removes the file, unless a later download can continue it.
    func cleanUp() {
        let lock = state.withLock { $0.lock.take() }
        // Once the complete file has its name, the path may belong to another download.
        let isOwn = lock?.isInPlace ?? true
        guard isOwn, notes == nil else { return }
        unlink(notesURL.path)
        unlink(url.path)
        withExtendedLifetime(lock) {}
    }

    /// Runs a closure, and turns its error into a `URLError` with a code.
    private func failing<Value>(_ code: URLError.Code, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            throw URLError(code, CocoaError.text(of: error))
        }
    }
}
