// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An endpoint that takes any body.
struct BodyService: Service {
    var baseURL: String
    var path = "/upload"
    var method = ServiceMethod.post
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var validStatusCodes = ServiceResponse.successfulStatusCodes
}

extension LoopbackServer {
    /// A server that keeps bodies of any size, and says how large they were.
    static func forUploads() throws -> LoopbackServer {
        try LoopbackServer(recordingBodiesUpTo: 1 << 27) { .text("\($0.bodySize)") }
    }

    func upload(
        _ body: ServiceBody, method: ServiceMethod = .post, to path: String = "/upload"
    ) -> BodyService {
        BodyService(baseURL: baseURL, path: path, method: method, body: body)
    }
}

extension LoopbackRequest {
    /// Whether one length was declared, and just as many bytes came.
    var isFramedRight: Bool {
        let lengths = headers.filter { $0.name.lowercased() == "content-length" }.map(\.value)
        return lengths == ["\(bodySize)"] && isComplete && header("Transfer-Encoding") == nil
    }
}

extension ServiceProvider<BodyService> {
    /// The error of a call that must fail.
    func failure(
        of service: BodyService, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ServiceError {
        do throws(ServiceError) {
            let response = try await response(for: service)
            Issue.record("no error, but \(response)", sourceLocation: sourceLocation)
        } catch {
            return error
        }
        throw CancellationError()
    }
}

extension TransportUnderTest {
    func uploader(_ interceptors: any ServiceInterceptor...) -> ServiceProvider<BodyService> {
        ServiceProvider(transport: make(), interceptors: interceptors)
    }
}

/// A folder that is there as long as this is.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("bodies-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ content: Data = Data("content".utf8)) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    /// So many bytes, no block of which looks like the next.
    static func bytes(_ count: Int) -> Data {
        let pattern = Data((0..<251).map { UInt8($0) })
        var bytes = Data(capacity: count + pattern.count)
        while bytes.count < count { bytes.append(pattern) }
        return bytes.prefix(count)
    }
}
