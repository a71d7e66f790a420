// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a download may do beside writing its file.
public nonisolated struct ServiceDownloadOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Replace a file that is there, in one step and only by a whole one. Without it, such a file is an
    /// error.
    public static let overwrite = ServiceDownloadOptions(rawValue: 1)
    /// Make the folders that lead to the file. Without it, it is an error when they are missing.
    public static let createFolders = ServiceDownloadOptions(rawValue: 2)
    /// Keep what has arrived when the download fails, and continue from there the next time.
    ///
    /// The next attempt of ``ServiceRetry`` continues as well as the next call. The bytes are kept beside
    /// the file, as `<name>.part`, with the server's version (a strong `ETag`) in `<name>.part.etag`.
    /// Nothing is kept if the server sends no such version. To continue, the download requests the rest
    /// of the same version (`Range` and `If-Range`; RFC 9110, sections 13.1.5 and 14.2). It starts again
    /// from the first byte if the server has another version, ignores the range, or redirects to another
    /// origin.
    public static let resume = ServiceDownloadOptions(rawValue: 4)
}

nonisolated extension ServiceProvider {
    /// Loads an endpoint into a file, as it arrives and never into memory.
    ///
    /// The file is there when this returns, and whole. Until then its bytes are in a file of another name
    /// beside it, which is removed when the download fails or is cancelled (see
    /// ``ServiceDownloadOptions/resume``).
    ///
    /// - Parameters:
    ///   - service: What to load.
    ///   - target: The file. Its name is yours to choose: what a server suggests may lead anywhere.
    ///   - options: Default: none; refuses to replace a file.
    /// - Returns: The answer, without the body.
    /// - Throws: As ``response(for:)``; ``ServiceError/invalidRequest(_:reason:)`` when the file cannot be
    ///   there; ``ServiceError/transport(_:)`` with a code such as `cannotWriteToFile` when the disk fails.
    @discardableResult
    public nonisolated(nonsending) func download(
        service: T, to target: URL, options: ServiceDownloadOptions = []
    ) async throws(ServiceError) -> ServiceResponse {
        let request = try pipeline.read(service)
        return try await ServiceDownload(pipeline: pipeline, target: target, options: options)
            .run(request)
    }

    /// Loads an endpoint into a file: see ``download(service:to:options:)``.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - target: The file.
    ///   - options: Default: none; refuses to replace a file.
    ///   - completion: Called once, on the main actor, after this has returned; never with `.empty`.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func download(
        service: T, to target: URL, options: ServiceDownloadOptions = [],
        completion: @escaping Completion<ServiceResponse>
    ) -> ServiceTask {
        let download = ServiceDownload(pipeline: pipeline, target: target, options: options)
        return start(service, completion) { request throws(ServiceError) in
            try await download.run(request)
        }
    }
}

/// One download: asks, writes beside the target, and moves the whole file into place.
private nonisolated struct ServiceDownload: Sendable {
    var pipeline: ServicePipeline
    let target: URL
    let options: ServiceDownloadOptions

    @concurrent func run(_ request: ServiceRequest) async throws(ServiceError) -> ServiceResponse {
        // A failure within it need not be the download's.
        var download = self
        download.pipeline = pipeline.with(onFailure: nil)
        do throws(ServiceError) {
            return try await download.write(request)
        } catch {
            throw pipeline.telling(of: error, request)
        }
    }

    private func write(
        _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceResponse {
        try ServiceError.require(target.isFileURL, .file, "'\(target.scheme ?? "")' is no file URL")
        let part = ServicePartialFile(of: target, isKept: options.contains(.resume))
        try prepare(part)
        defer { part.cleanUp() }
        var request = request
        request.delivery = part
        // The rest of a compressed body can't be requested.
        if part.isKept { try request.setHeader("Accept-Encoding", "identity") }
        let response = try await pipeline.adding(innermost: ServiceResumption(part: part)).run(
            request)
        do {
            // An interceptor may have answered, from memory.
            if !part.isWhole || !response.data.isEmpty { try part.fill(with: response.data) }
            try part.move(to: target, replacing: options.contains(.overwrite))
            return response
        } catch {
            throw ServiceError(error)
        }
    }

    /// Before anything is sent: what cannot be written need not be loaded.
    private func prepare(_ part: ServicePartialFile) throws(ServiceError) {
        let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type]
        let isFile = type as? FileAttributeType == .typeRegular
        let folder = target.deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
        try ServiceError.require(
            exists && isFolder.boolValue || options.contains(.createFolders), .file,
            "the folder '\(folder)' doesn't exist; the option '.createFolders' makes it")
        let isFree = type == nil || isFile && options.contains(.overwrite)
        try ServiceError.require(isFree, .file, "'\(target.path)' exists already")
        do {
            try part.create(withFolders: options.contains(.createFolders))
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .invalidRequest(.file, reason: "'\(target.path)': \(error.localizedDescription)")
        }
    }
}

/// Requests the rest of a file, each time that the download is sent: another attempt of a retry
/// continues where the last one stopped.
private nonisolated struct ServiceResumption: ServiceInterceptor {
    let part: ServicePartialFile

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let etag = part.etag else { return try await next(request) }
        var rest = request
        try rest.setHeader("Range", "bytes=\(part.size)-")
        try rest.setHeader("If-Range", etag)
        rest.validStatusCodes.insert(206)
        do {
            let response = try await next(rest)
            // A 416: the file has no more bytes than there are already.
            guard response.statusCode == 416 else { return response }
        } catch {
            guard part.isAnother else { throw error }
        }
        part.etag = nil
        return try await next(request)
    }
}

/// Where the bytes are until they are all there.
///
/// Its state is safe because a transport calls from one thread at a time, and the download before and
/// after that.
private nonisolated final class ServicePartialFile: ServiceDelivery {
    let isKept: Bool
    private let url: URL
    private let mark: URL
    nonisolated(unsafe) private var handle: FileHandle?
    /// The size of the whole, where the server has said it.
    nonisolated(unsafe) private var total: Int64?
    /// Whether the server sent something else than the rest of what is here.
    nonisolated(unsafe) private(set) var isAnother = false
    /// Whether the last answer has come to its end.
    nonisolated(unsafe) private(set) var isWhole = false

    private static let lock = NSLock()
    /// What is written to at this time. Safe because it is touched under the lock alone.
    nonisolated(unsafe) private static var busy: Set<URL> = []

    init(of target: URL, isKept: Bool) {
        self.isKept = isKept
        let name = isKept ? target.lastPathComponent : ".\(UUID().uuidString)"
        url = target.deletingLastPathComponent().appendingPathComponent(name + ".part")
        mark = url.appendingPathExtension("etag")
    }

    /// In bytes.
    var size: Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// The version of which the first bytes are here; nil when it is not known for sure.
    var etag: String? {
        get {
            let text = isKept ? try? String(contentsOf: mark, encoding: .utf8) : nil
            return text?.hasPrefix("\"") == true ? text : nil
        }
        set {
            unlink(mark.path)
            if isKept { try? newValue?.write(to: mark, atomically: true, encoding: .utf8) }
        }
    }

    func create(withFolders: Bool) throws {
        let (files, folder) = (FileManager.default, url.deletingLastPathComponent())
        if withFolders { try files.createDirectory(at: folder, withIntermediateDirectories: true) }
        // Two that write to one file would mix their bytes.
        let isMine = Self.lock.withLock { Self.busy.insert(url).inserted }
        try ServiceError.require(
            isMine, .file, "'\(url.path)' is being written by another download")
        do {
            if etag == nil || size == 0 { try Data().write(to: url) }
        } catch {
            Self.lock.withLock { _ = Self.busy.remove(url) }
            throw error
        }
    }

    var isStream: Bool { false }

    func begin(_ response: ServiceResponse, from _: ServiceTransfer) throws {
        try failing(.cannotOpenFile) { if handle != nil { throw POSIXError(.EBUSY) } }
        let isRest = response.statusCode == 206
        let range = isRest ? Self.range(of: response) : (start: 0, total: nil)
        let new = response.header("Content-Encoding") == nil ? response.header("ETag") : nil
        // What does not prove to be the rest, of the same version, is not taken for it.
        isAnother = isRest && (range.start > size || range.total == nil || new != etag)
        (isWhole, total) = (false, range.total)
        try failing(.badServerResponse) { if isAnother { throw Unasked() } }
        // The new version's mark comes after the old one's bytes are gone.
        if !isRest { etag = nil }
        try failing(.cannotOpenFile) {
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: UInt64(range.start))
            handle = file
        }
        if !isRest { etag = new }
    }

    func receive(_ chunk: Data) throws {
        try failing(.cannotWriteToFile) {
            guard let handle else { throw POSIXError(.EBADF) }
            try handle.write(contentsOf: chunk)
        }
    }

    func end(_ error: (any Error)?) {
        try? handle?.close()
        handle = nil
        isWhole = error == nil
    }

    func fill(with data: Data) throws {
        total = nil
        try failing(.cannotWriteToFile) { try data.write(to: url) }
    }

    func move(to target: URL, replacing: Bool) throws {
        try failing(.badServerResponse) { if let total, total != size { throw Unasked() } }
        etag = nil
        try failing(.cannotMoveFile) {
            if !replacing { return try FileManager.default.moveItem(at: url, to: target) }
            let isMoved = rename(url.path, target.path) == 0
            if !isMoved { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }

    /// Leaves nothing but what can be gone on from.
    func cleanUp() {
        if etag == nil {
            etag = nil
            unlink(url.path)
        }
        Self.lock.withLock { _ = Self.busy.remove(url) }
    }

    private func failing(_ code: URLError.Code, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            throw URLError(code, userInfo: [NSLocalizedDescriptionKey: error.localizedDescription])
        }
    }

    private struct Unasked: LocalizedError {
        var errorDescription: String? { "it sent another part of the body than the rest." }
    }

    /// Where the bytes belong (RFC 9110, section 14.4): `bytes 100-199/200`, `bytes */200`.
    private static func range(of response: ServiceResponse) -> (start: Int64, total: Int64?) {
        let words = response.header("Content-Range")?.lowercased().split(separator: " ") ?? []
        let sides = words.first == "bytes" ? words.last?.split(separator: "/") ?? [] : []
        let start = sides.first?.split(separator: "-").first.flatMap { Int64($0) }
        return (start ?? .max, sides.last.flatMap { Int64($0) })
    }
}
