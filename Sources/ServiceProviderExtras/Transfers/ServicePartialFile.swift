// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
    }

    private let target: URL
    private let options: ServiceDownloadOptions
    /// Whether the bytes of a failed download are kept.
    private let isKept: Bool
    private let url: URL
    private let etagURL: URL
    private let state = ServiceLocked(State())
    /// The files that downloads of this process write to.
    private static let busy = ServiceLocked<Set<URL>>([])
    private static let wrongRange = URLError(.badServerResponse, "it sent the wrong byte range.")

    init(of target: URL, _ options: ServiceDownloadOptions) {
        (self.target, self.options) = (target, options)
        isKept = options.contains(.resume)
        let name = isKept ? target.lastPathComponent : ".\(UUID().uuidString)"
        url = target.deletingLastPathComponent().appendingPathComponent(name + ".part")
        etagURL = url.appendingPathExtension("etag")
    }

    /// The size in bytes.
    private var size: Int64 {
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        return size?.int64Value ?? 0
    }

    /// The version that the bytes belong to: a strong `ETag`; nil if it isn't known.
    private var etag: String? {
        get {
            let text = isKept ? try? String(contentsOf: etagURL, encoding: .utf8) : nil
            return text?.hasPrefix("\"") == true ? text : nil
        }
        set {
            unlink(etagURL.path)
            if isKept { try? newValue?.write(to: etagURL, atomically: true, encoding: .utf8) }
        }
    }

    /// Creates the file, or reuses an earlier download's, and reserves it until `cleanUp()`.
    ///
    /// It's called before anything is sent: a file that can't be written needn't be loaded.
    func create() throws(ServiceError) {
        guard target.isFileURL else {
            throw .invalidRequest(
                .file, reason: "the URL's scheme is '\(target.scheme ?? "")', not 'file'")
        }
        let (files, folder) = (FileManager.default, target.deletingLastPathComponent())
        guard options.contains(.createFolders) || files.fileExists(atPath: folder.path) else {
            let hint = "'.createFolders' creates it"
            throw .invalidRequest(
                .file, reason: "the folder '\(folder.path)' doesn't exist; \(hint)")
        }
        let type = try? files.attributesOfItem(atPath: target.path)[.type] as? FileAttributeType
        guard type == nil || type == .typeRegular && options.contains(.overwrite) else {
            let problem = type == .typeDirectory ? "is a folder" : "exists already"
            throw .invalidRequest(.file, reason: "'\(target.path)' \(problem)")
        }
        // Two downloads would mix their bytes.
        guard Self.busy.withLock({ $0.insert(url).inserted }) else {
            throw .invalidRequest(.file, reason: "another download writes to '\(url.path)'")
        }
        do {
            if options.contains(.createFolders) {
                try files.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            if etag == nil || size == 0 { try Data().write(to: url) }
        } catch {
            Self.busy.withLock { _ = $0.remove(url) }
            throw .invalidRequest(.file, reason: "'\(url.path)': \(error.localizedDescription)")
        }
    }

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let etag else { return try await next(request) }
        var rest = request
        try rest.setHeader("Range", "bytes=\(size)-")
        try rest.setHeader("If-Range", etag)
        rest.validStatusCodes.insert(206)
        do {
            let response = try await next(rest)
            // 416: the server's file has no more bytes than this one.
            guard response.statusCode == 416 else { return response }
        } catch {
            guard state.withLock({ $0.isMismatch }) else { throw error }
        }
        self.etag = nil
        return try await next(request)
    }

    var destination: ServiceBodyDestination { .sink }

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        let isRest = response.statusCode == 206
        let range = isRest ? Self.range(of: response) : (start: 0, total: nil)
        let new = response.header("Content-Encoding") == nil ? response.header("ETag") : nil
        try state.withLock { state in
            // Two responses at the same time would mix their bytes.
            guard state.handle == nil else { throw URLError(.cannotOpenFile, "it is in use.") }
            // The rest has to start within these bytes or right after them, in the same version.
            state.isMismatch = isRest && (range.start > size || range.total == nil || new != etag)
            (state.isComplete, state.total) = (false, range.total)
            guard !state.isMismatch else { throw Self.wrongRange }
            // Removes the old ETag before its bytes, and sets the new one after that.
            if !isRest { etag = nil }
            try failing(.cannotOpenFile) {
                let handle = try FileHandle(forWritingTo: url)
                try handle.truncate(atOffset: UInt64(range.start))
                state.handle = handle
            }
            if !isRest { etag = new }
        }
    }

    func receive(_ chunk: Data) throws {
        guard let handle = state.withLock({ $0.handle }) else { throw URLError(.cannotWriteToFile) }
        try failing(.cannotWriteToFile) { try handle.write(contentsOf: chunk) }
    }

    func end(_ error: (any Error)?) {
        state.withLock { state in
            try? state.handle?.close()
            (state.handle, state.isComplete) = (nil, error == nil)
        }
    }

    /// Moves the complete file into place.
    ///
    /// - Parameter data: The body, if an interceptor answered from memory.
    func finish(with data: Data) throws {
        let (isComplete, total) = state.withLock { ($0.isComplete, $0.total) }
        if !isComplete || !data.isEmpty {
            try failing(.cannotWriteToFile) { try data.write(to: url) }
        } else if let total, total != size {
            throw Self.wrongRange
        }
        etag = nil
        try failing(.cannotMoveFile) {
            let isReplaced = options.contains(.overwrite)
            if !isReplaced { return try FileManager.default.moveItem(at: url, to: target) }
            let isMoved = rename(url.path, target.path) == 0
            if !isMoved { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }

    /// Removes the file, unless a later download can continue it.
    func cleanUp() {
        if etag == nil {
            unlink(etagURL.path)
            unlink(url.path)
        }
        Self.busy.withLock { _ = $0.remove(url) }
    }

    /// Runs a closure, and turns its error into a `URLError` with a code.
    private func failing(_ code: URLError.Code, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            throw URLError(code, error.localizedDescription)
        }
    }

    /// Returns the first byte and the total of `bytes 100-199/200` (RFC 9110, section 14.4).
    private static func range(of response: ServiceResponse) -> (start: Int64, total: Int64?) {
        let words = response.header("Content-Range")?.lowercased().split(separator: " ") ?? []
        let sides = words.first == "bytes" ? words.last?.split(separator: "/") ?? [] : []
        let start = sides.first?.split(separator: "-").first.flatMap { Int64($0) }
        return (start ?? .max, sides.last.flatMap { Int64($0) })
    }
}
