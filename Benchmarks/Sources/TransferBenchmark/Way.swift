// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

#if os(Linux)
import BenchmarkSupport
import CurlTransport
#endif

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct TransferService: Service {
    let baseURL: String
    var path: String
    var method = ServiceMethod.get
    var body: ServiceBody?
}

/// Ways to transfer a big body, with the library and with bare URLSession.
struct Way {
    static let names = [
        "download to disk", "bare downloadTask", "bare data delegate that writes",
        "upload of a file", "bare uploadTask(fromFile:)",
        "multipart of a file",
        "stream, read as it comes", "stream, read at 100 MB/s",
        "bare data delegate, read at 100 MB/s",
        "curl: download to disk", "curl: upload of a file", "curl: stream, read at 100 MB/s",
        "curl: 10,000 requests at once", "curl: requests in a row",
        "20,000 waiting calls, 3 interceptors",
    ]

    let baseURL: String
    let big: URL
    let target: URL
    /// The number of requests in a row.
    let row: Int
    let provider: ServiceProvider<TransferService>

    init(_ name: String, baseURL: String, folder: URL, row: Int) throws {
        (self.baseURL, self.row) = (baseURL, row)
        provider = try Self.provider(name)
        big = folder.appendingPathComponent("big.bin")
        target = folder.appendingPathComponent("got.bin")
    }

    private static func provider(_ name: String) throws -> ServiceProvider<TransferService> {
        #if os(Linux)
        if name.hasPrefix("curl: ") { return ServiceProvider(transport: try CurlTransport()) }
        #endif
        return ServiceProvider()
    }

    func service(_ path: String, sending body: ServiceBody? = nil) -> TransferService {
        TransferService(baseURL: baseURL, path: path, method: body == nil ? .get : .put, body: body)
    }

    /// Sends small requests first: the memory that the first requests of a process need isn't
    /// measured.
    func warmUp() async throws {
        for _ in 0..<20 { _ = try await provider.load(service: service("/warm")) }
        let session = BareSession()
        for _ in 0..<20 { _ = try await session.run { $0.dataTask(with: url("/warm")) } }
    }

    func url(_ path: String) -> URL { URL(string: baseURL + path) ?? big }

    func run(_ name: String) async throws -> String {
        defer { try? FileManager.default.removeItem(at: target) }
        switch name.replacingOccurrences(of: "curl: ", with: "") {
        case "10,000 requests at once": return try await burst(10_000, provider)
        case "requests in a row": return try await requestsInARow()
        case "20,000 waiting calls, 3 interceptors": return try await wait(20_000)
        case "download to disk":
            try await provider.download(service: service("/file"), to: target)
            return "\(try size(of: target)) bytes on disk"
        case "upload of a file":
            return try await received(by: .file(big))
        case "multipart of a file":
            return try await received(by: .multipart([.file(big, name: "file")]))
        case "stream, read as it comes": return try await stream(slowly: false)
        case "stream, read at 100 MB/s": return try await stream(slowly: true)
        default: return try await bare(name)
        }
    }

    private func burst(
        _ count: Int, _ provider: ServiceProvider<TransferService>
    ) async throws -> String {
        let baseURL = baseURL
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let service = TransferService(baseURL: baseURL, path: "/small")
                    return try await provider.load(service: service).count
                }
            }
            return "\(try await group.reduce(0, +)) bytes read"
        }
    }

    /// Lets calls wait at a transport, behind three interceptors, until all have arrived there.
    private func wait(_ count: Int) async throws -> String {
        let passing = [Passing(), Passing(), Passing()]
        return try await burst(
            count, ServiceProvider(transport: Gate(count), interceptors: passing))
    }

    /// Sends requests in a row. The memory that the first thousand leave behind isn't counted.
    private func requestsInARow() async throws -> String {
        var before = (memory: 0.0, files: 0, threads: 0)
        for index in 0..<row {
            _ = try await provider.load(service: service("/small"))
            if index == 1_000 {
                before = (Memory.resident(), Memory.entries("fd"), Memory.entries("task"))
            }
        }
        let growth = Memory.resident() - before.memory
        let (files, threads) = (Memory.entries("fd"), Memory.entries("task"))
        return String(
            format: "%d requests; growth after 1,000: %.1f MB, %d files, %d threads", row, growth,
            files - before.files, threads - before.threads)
    }

    private func received(by body: ServiceBody) async throws -> String {
        let data = try await provider.load(service: service("/sink", sending: body))
        return "\(String(decoding: data, as: UTF8.self)) bytes received"
    }

    private func stream(slowly isSlow: Bool) async throws -> String {
        var count = 0
        do {
            for try await chunk in try await provider.stream(service: service("/file")) {
                count += chunk.count
                if isSlow { try await Task.sleep(nanoseconds: UInt64(chunk.count) * 10) }
            }
        } catch let error as ServiceError {
            return "failed after \(count) bytes: \(error)"
        }
        return "\(count) bytes read"
    }

    private func bare(_ name: String) async throws -> String {
        let session = BareSession()
        switch name {
        case "bare downloadTask":
            return try await session.run { $0.downloadTask(with: url("/file")) }
        case "bare uploadTask(fromFile:)":
            var request = URLRequest(url: url("/sink"))
            request.httpMethod = "PUT"
            return try await session.run { $0.uploadTask(with: request, fromFile: big) }
        case "bare data delegate that writes":
            try Data().write(to: target)
            let handle = try FileHandle(forWritingTo: target)
            session.receive = { try? handle.write(contentsOf: $0) }
            return try await session.run { $0.dataTask(with: url("/file")) }
        default:
            session.receive = { Thread.sleep(forTimeInterval: Double($0.count) / 100e6) }
            return try await session.run { $0.dataTask(with: url("/file")) }
        }
    }

    private func size(of file: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? -1
    }
}

/// Holds all requests until a number of them wait, then responds to them.
actor Gate: ServiceTransport {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { self.count = count }

    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        await enter()
        return ServiceResponse(request: request, statusCode: 200, data: Data(count: 1))
    }

    private func enter() async {
        await withCheckedContinuation { waiter in
            waiting.append(waiter)
            guard waiting.count == count else { return }
            for waiter in waiting { waiter.resume() }
            waiting = []
        }
    }
}

/// An interceptor without effect.
struct Passing: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        try await next(request)
    }
}

/// URLSession without the library.
///
/// Unchecked, because callbacks are called one after the other, and `run` waits for the last of
/// them.
final class BareSession: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    var receive: (Data) -> Void = { _ in }
    private var count = 0
    private var continuation: CheckedContinuation<String, any Error>?

    func run(_ makeTask: (URLSession) -> URLSessionTask) async throws -> String {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let task = makeTask(session)
        return try await withCheckedThrowingContinuation {
            continuation = $0
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        count += data.count
        receive(data)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let size = try? FileManager.default.attributesOfItem(atPath: location.path)[.size]
        count = size as? Int ?? -1
        try? FileManager.default.removeItem(at: location)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let sent = task.countOfBytesSent
        let words = sent > 0 ? "\(sent) bytes sent" : "\(count) bytes received"
        if let error {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume(returning: words)
        }
        session.finishTasksAndInvalidate()
    }
}
