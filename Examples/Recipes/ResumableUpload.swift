// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// An upload of a large file that continues after a lost connection and a restart (tus 1.0.0).

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// Uploads files to a server for tus (https://tus.io), chunk by chunk.
///
///     let uploader = ResumableUpload(endpoint: "https://example.com/files")
///     let url = try await uploader.upload(video, note: folder.appendingPathComponent("video.json"))
///
/// If an upload fails, or the app ends, call it again with the same note: it continues where the
/// server's bytes end. Until then, the file must stay the same.
nonisolated struct ResumableUpload: Sendable {
    /// Creates uploads.
    var endpoint: String
    /// The retries are for small requests. After a lost chunk, the server says what it has of it.
    var provider = ServiceProvider<TusService>(interceptors: [ServiceRetry()])
    /// A chunk is in memory.
    var chunkSize = 4 << 20
    /// How often requests may fail, without a new byte at the server in between.
    var maximumFailures = 4
    var clock = ServiceClock()

    /// Uploads a file, and returns its URL at the server.
    ///
    /// - Parameters:
    ///   - note: A small file that exists until the upload ends. Each upload needs its own, not in
    ///     the caches, which the system empties. To give up an upload, remove it.
    ///   - metadata: The names are ASCII, without spaces and commas.
    ///   - progress: Gets the part of the file that the server has confirmed.
    @concurrent func upload(
        _ file: URL, note: URL, metadata: [String: String] = [:],
        progress: @MainActor @Sendable (Double) -> Void = { _ in }
    ) async throws -> String {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let size = Int64(try handle.seekToEnd())
        // Where the bytes at the server may end.
        var expected = 0...size
        var failures = 0
        var creations = 0
        while true {
            let url: String
            if let known = TusUpload(note), known.name == file.lastPathComponent,
                known.size == size, isOwn(known.url)
            {
                url = known.url
            } else {
                let new = try await create(file.lastPathComponent, size, metadata)
                try JSONEncoder().encode(new).write(to: note, options: .atomic)
                url = new.url
                expected = 0...0
                creations += 1
            }
            do {
                let head = TusService(baseURL: url, method: .head)
                var offset = try await provider.response(service: head).offset(in: expected)
                while offset < size {
                    if offset > expected.lowerBound {
                        failures = 0
                    }
                    await progress(Double(offset) / Double(size))
                    try handle.seek(toOffset: UInt64(offset))
                    let count = Int(min(Int64(chunkSize), size - offset))
                    let chunk = try handle.read(upToCount: count) ?? Data()
                    guard !chunk.isEmpty else { throw TusError.changedFile }
                    expected = offset...offset + Int64(chunk.count)
                    let response = try await send(chunk, from: offset, to: url)
                    offset = try response.offset(in: offset + 1...expected.upperBound)
                }
                await progress(1)
                try? FileManager.default.removeItem(at: note)
                return url
            } catch let error as ServiceError where error.isTemporary && failures < maximumFailures
            {
                failures += 1
                if error.isUploadGone {
                    try? FileManager.default.removeItem(at: note)
                    guard creations <= maximumFailures else { throw error }
                }
                // 1, 2, 4… seconds, at most 32.
                try await clock.sleep(Double(1 << min(failures, 6)) / 2)
            }
        }
    }

    private func create(
        _ name: String, _ size: Int64, _ metadata: [String: String]
    ) async throws -> TusUpload {
        let pairs = metadata.sorted { $0.key < $1.key }
            .map { "\($0.key) \(Data($0.value.utf8).base64EncodedString())" }
        var headers = ["Upload-Length": "\(size)"]
        headers["Upload-Metadata"] = pairs.isEmpty ? nil : pairs.joined(separator: ",")
        let response = try await provider.response(
            service: TusService(baseURL: endpoint, method: .post, fields: headers))
        let base = response.request.urlRequest.url
        let location = response.header("Location").flatMap {
            ServiceRequest.url($0, relativeTo: base)
        }
        guard let url = location?.absoluteString, isOwn(url) else { throw TusError.wrongLocation }
        return TusUpload(url: url, name: name, size: size)
    }

    /// Whether an upload is at the endpoint's server. Another one must not get the provider's token.
    private func isOwn(_ upload: String) -> Bool {
        guard let upload = URL(string: upload), let own = URL(string: endpoint) else {
            return false
        }
        return ServiceRequest.origin(of: upload) == ServiceRequest.origin(of: own)
    }

    private func send(
        _ chunk: Data, from offset: Int64, to url: String
    ) async throws -> ServiceResponse {
        let body = ServiceBody.data(chunk, contentType: "application/offset+octet-stream")
        let fields = ["Upload-Offset": "\(offset)"]
        return try await provider.response(
            service: TusService(baseURL: url, method: .patch, fields: fields, body: body))
    }
}

nonisolated enum TusError: LocalizedError {
    /// The server says that it has bytes that it can't have, or not those that it has confirmed.
    case wrongOffset
    /// The new upload has no URL, or one at another server.
    case wrongLocation
    /// The file has become shorter.
    case changedFile

    var errorDescription: String? {
        switch self {
        case .wrongOffset, .wrongLocation: "The server made a mistake in the upload."
        case .changedFile: "The file was changed during the upload."
        }
    }
}

/// A request for an upload.
nonisolated struct TusService: Service, Sendable {
    var baseURL: String
    var method: ServiceMethod
    var fields: [String: String] = [:]
    var body: ServiceBody?

    var path: String { "" }
    var headers: [String: String] { fields.merging(["Tus-Resumable": "1.0.0"]) { $1 } }

    func prepare(_ request: inout ServiceRequest) {
        if method == .post {
            // Servers remove an upload that gets no bytes.
            request.isRepeatable = true
        }
    }
}

/// What the next launch has to know.
private nonisolated struct TusUpload: Codable {
    let url: String
    let name: String
    let size: Int64
}

nonisolated extension TusUpload {
    fileprivate init?(_ note: URL) {
        guard let data = try? Data(contentsOf: note) else { return nil }
        guard let upload = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = upload
    }
}

nonisolated extension ServiceResponse {
    /// How many bytes the server has.
    fileprivate func offset(in expected: ClosedRange<Int64>) throws -> Int64 {
        let offset = header("Upload-Offset").flatMap { Int64($0) }
        guard let offset, expected.contains(offset) else { throw TusError.wrongOffset }
        return offset
    }
}

nonisolated extension ServiceError {
    fileprivate var isUploadGone: Bool { statusCode == 404 || statusCode == 410 }

    /// Whether another attempt may succeed. A 409 means that the server has more bytes, or fewer.
    fileprivate var isTemporary: Bool {
        if case .transport = self {
            return true
        }
        guard let statusCode else { return false }
        return statusCode >= 500 || [404, 408, 409, 410, 423, 425, 429].contains(statusCode)
    }
}
