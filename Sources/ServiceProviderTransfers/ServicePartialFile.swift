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
        /// The requested URL.
        var source = ""
        /// Whether the service requested a range, so that the file has only that range.
        var hasOwnRange = false
        /// Held while this download may write to the file.
        var lock: ServiceFileLock?
    }

    /// The file, or the folder for a file with the name that the server suggests.
    private let place: URL
    private let isFolder: Bool
    private let options: ServiceDownloadOptions
    private let check: ServiceDownloadCheck
    /// Whether the bytes of a failed download are kept.
    let isKept: Bool
    private let url: URL
    private let etagURL: URL
    private let state = ServiceLocked(State())
    private static let wrongRange = URLError(.badServerResponse, "it sent the wrong byte range.")

    init(
        of place: URL, _ options: ServiceDownloadOptions, _ check: ServiceDownloadCheck,
        isFolder: Bool = false
    ) {
        (self.place, self.options, self.check, self.isFolder) = (place, options, check, isFolder)
        // Names have at most 255 bytes.
        isKept = options.contains(.resume) && place.lastPathComponent.utf8.count <= 245
        let name = isKept ? place.lastPathComponent : ".\(UUID().uuidString)"
        let folder = isFolder ? place : place.deletingLastPathComponent()
        url = folder.appendingPathComponent(name + ".part")
        etagURL = url.appendingPathExtension("etag")
    }

    /// The complete file.
    func target(for response: ServiceResponse) -> URL {
        isFolder ? place.appendingPathComponent(response.suggestedFilename) : place
    }

    /// The size in bytes; 0 for a symbolic link.
    private var size: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return 0 }
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// What the bytes belong to; nil if it isn't known. The `ETag` is a strong one. The source is the URL
    /// that was requested, and the target is the one after redirects.
    private var kept: (etag: String, source: String, target: String)? {
        get {
            let text = isKept ? try? String(contentsOf: etagURL, encoding: .utf8) : nil
            guard let text, text.hasPrefix("\"") else { return nil }
            let lines = text.components(separatedBy: "\n")
            return lines.count == 3 ? (lines[0], lines[1], lines[2]) : nil
        }
        set {
            unlink(etagURL.path)
            let text = newValue.map { "\($0.etag)\n\($0.source)\n\($0.target)" }
            if isKept { try? text?.write(to: etagURL, atomically: true, encoding: .utf8) }
        }
    }

    /// Creates the file, or reuses an earlier download's, and locks it until `cleanUp()`.
    ///
    /// It's called before anything is sent: a file that can't be written needn't be loaded.
    func create() throws {
        guard place.isFileURL else {
            throw ServiceError.invalidRequest(
                .file, reason: "the URL's scheme is '\(place.scheme ?? "")', not 'file'")
        }
        let (files, folder) = (FileManager.default, url.deletingLastPathComponent())
        guard options.contains(.createFolders) || files.fileExists(atPath: folder.path) else {
            let hint = isFolder ? "" : "; '.createFolders' creates it"
            throw ServiceError.invalidRequest(
                .file, reason: "the folder '\(folder.path)' doesn't exist\(hint)")
        }
        if !isFolder { try checkIsFree(place) }
        try creating {
            if options.contains(.createFolders) {
                try files.createDirectory(at: folder, withIntermediateDirectories: true)
            }
        }
        guard isKept else {
            return try creating { try Data().write(to: url, options: .withoutOverwriting) }
        }
        do {
            let lock = try ServiceFileLock(url.path)
            // Its bytes are of an unknown version.
            if kept == nil { try lock.empty() }
            state.withLock { $0.lock = lock }
        } catch is ServiceFileLock.Taken {
            // Two downloads would mix their bytes.
            throw ServiceError.invalidRequest(
                .file, reason: "another download writes to '\(url.path)'")
        } catch {
            try creating { throw error }
        }
    }

    private func creating(_ work: () throws -> Void) throws {
        do { try work() } catch {
            throw ServiceError.invalidRequest(
                .file, reason: "'\(url.path)': \(CocoaError.text(of: error))")
        }
    }

    /// Throws if there is a file that mustn't be replaced, or a folder.
    private func checkIsFree(_ target: URL) throws {
        let items = FileManager.default
        let type = try? items.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
        guard type == nil || type == .typeRegular && options.contains(.overwrite) else {
            let problem = type == .typeDirectory ? "is a folder" : "exists already"
            throw ServiceError.invalidRequest(.file, reason: "'\(target.path)' \(problem)")
        }
    }

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let source = Self.source(of: [request])
        let hasOwnRange = request.urlRequest.value(forHTTPHeaderField: "Range") != nil
        state.withLock { ($0.source, $0.hasOwnRange) = (source, hasOwnRange) }
        // Another URL may have the same `ETag` for another file.
        if hasOwnRange || kept?.source != source { kept = nil }
        guard let kept else { return try await next(request) }
        var rest = request
        try rest.setHeader("Range", "bytes=\(size)-")
        try rest.setHeader("If-Range", kept.etag)
        rest.validStatusCodes.insert(206)
        do {
            let response = try await next(rest)
            // 416: the server's file has no more bytes than this one.
            guard response.statusCode == 416 else { return response }
        } catch {
            guard state.withLock({ $0.isMismatch }) else { throw error }
        }
        self.kept = nil
        return try await next(request)
    }

    /// The URL of the last request. Without its query if that has a secret, because a signature is new
    /// in each call.
    private static func source(of requests: [ServiceRequest]) -> String {
        guard let request = requests.last else { return "" }
        let url = request.urlRequest.url?.absoluteString ?? ""
        if request.redacting(url: url).isIdentical(to: url) { return url }
        return request.redacting(url: String(url.prefix { $0 != "?" }))
    }

    var destination: ServiceBodyDestination { .sink }

    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        if isFolder { try checkIsFree(target(for: response)) }
        let isRest = response.statusCode == 206 && !state.withLock { $0.hasOwnRange }
        let range = isRest ? Self.range(of: response) : (start: 0, total: nil)
        let etag = response.header("Content-Encoding") == nil ? response.header("ETag") : nil
        // Foundation takes long to send a field with many combining marks.
        let new = etag.flatMap { $0.utf8.count <= 8_192 ? $0 : nil }
        let target = Self.source(of: response.earlierRequests + [response.request])
        try state.withLock { state in
            // Two responses at the same time would mix their bytes.
            guard state.handle == nil else { throw URLError(.cannotOpenFile, "it is in use.") }
            // The rest has to start within these bytes or right after them, in the same version. After a
            // redirect, another file may have the same `ETag`.
            let isSame =
                kept.map { new?.isIdentical(to: $0.etag) == true && target == $0.target }
                ?? (new == nil)
            state.isMismatch = isRest && (range.start > size || range.total == nil || !isSame)
            (state.isComplete, state.total) = (false, range.total)
            guard !state.isMismatch else { throw Self.wrongRange }
            // Removes the old ETag before its bytes, and sets the new one after that.
            if !isRest { kept = nil }
            try failing(.cannotOpenFile) {
                let handle = try FileHandle(forWritingTo: url)
                try handle.truncate(atOffset: UInt64(range.start))
                state.handle = handle
            }
            if !isRest, !state.hasOwnRange { kept = new.map { ($0, state.source, target) } }
        }
    }

    func receive(_ chunk: Data) throws {
        guard let handle = state.withLock({ $0.handle }) else { throw URLError(.cannotWriteToFile) }
        try failing(.cannotWriteToFile) { try handle.write(contentsOf: chunk) }
        guard let wanted = check.size, try handle.offset() > UInt64(clamping: wanted) else {
            return
        }
        // Without it, the bytes aren't kept.
        kept = nil
        throw URLError(.badServerResponse, "The file has more than \(wanted) bytes.")
    }

    func end(_ error: (any Error)?) {
        state.withLock { state in
            try? state.handle?.close()
            (state.handle, state.isComplete) = (nil, error == nil)
        }
    }

    /// Moves the complete file into place.
    ///
    /// - Parameter response: Has a body if an interceptor returned it from memory.
    func finish(with response: ServiceResponse) throws {
        let (data, target) = (response.data, target(for: response))
        let (isComplete, total) = state.withLock { ($0.isComplete, $0.total) }
        if !isComplete || !data.isEmpty {
            try failing(.cannotWriteToFile) { try data.write(to: url) }
        } else if let total, total != size {
            throw Self.wrongRange
        }
        // Without it, the file isn't kept if a check fails.
        kept = nil
        if let wanted = check.size, wanted != size {
            throw URLError(.badServerResponse, "The file has \(size) bytes instead of \(wanted).")
        }
        try check.verify?(url)
        try failing(.cannotMoveFile) {
            guard options.contains(.overwrite) else {
                // A link never replaces a file, not even a new one. `cleanUp()` removes the other name. Without
                // hard links, `moveItem` looks for a file first.
                if link(url.path, target.path) == 0 { return }
                return try FileManager.default.moveItem(at: url, to: target)
            }
            let isMoved = rename(url.path, target.path) == 0
            if !isMoved { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }

    /// Removes the file, unless a later download can continue it.
    func cleanUp() {
        let lock = state.withLock { $0.lock.take() }
        // Once the complete file has its name, the path may belong to another download.
        let isOwn = lock?.isInPlace ?? true
        guard isOwn, kept == nil else { return }
        unlink(etagURL.path)
        unlink(url.path)
        withExtendedLifetime(lock) {}
    }

    /// Runs a closure, and turns its error into a `URLError` with a code.
    private func failing(_ code: URLError.Code, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            throw URLError(code, CocoaError.text(of: error))
        }
    }

    /// Returns the first byte and the total of `bytes 100-199/200` (RFC 9110, section 14.4).
    private static func range(of response: ServiceResponse) -> (start: Int64, total: Int64?) {
        let field = response.header("Content-Range") ?? ""
        let words = field.utf8.count < 256 ? field.lowercased().split(separator: " ") : []
        let sides = words.first == "bytes" ? words.last?.split(separator: "/") ?? [] : []
        let start = sides.first?.split(separator: "-").first.flatMap { Int64($0) }
        return (start ?? .max, sides.last.flatMap { Int64($0) })
    }
}
