// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers

extension Probe {
    /// A download. Its process is killed in the middle, and started again.
    static let relaunch = Probe(name: "relaunch", limit: 120) { _ in
        "With `.resume`, the next download requests the rest, and the file is complete."
    } run: { setting in
        let bytes = Data((0..<8 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        let server = try LoopbackServer { response(to: $0, with: bytes) }
        let file = setting.folder.appendingPathComponent("film")
        let part = setting.folder.appendingPathComponent(".film.part")
        let arguments = ["--download", server.baseURL, file.path, setting.transport.rawValue]
        let output = setting.folder.appendingPathComponent("output")
        let first = try Program(arguments, output: output)
        let deadline = uptime + 30
        while size(of: part) == 0, uptime < deadline {
            try await Task.sleep(nanoseconds: 20_000_000)
        }
        let kept = size(of: part)
        try await first.kill()
        let second = try Program(arguments, output: output)
        guard try await second.end(within: 60) else {
            return .seen("the second download didn't end within 60 s", asDocumented: false)
        }
        let range = server.requests.dropFirst().first?.header("Range")
        let isWhole = (try? Data(contentsOf: file)) == bytes
        return .seen(
            "the process was killed after \(kept) bytes; the next one asked for "
                + "'\(range ?? "everything")', ended with \(second.ending), and the file was "
                + (isWhole ? "complete" : "wrong"),
            asDocumented: (start(of: range) ?? 0) > 0 && isWhole)
    }

    /// Sends half of the bytes and then nothing more, or the rest that a request asks for.
    private static func response(
        to request: LoopbackRequest, with bytes: Data
    ) -> LoopbackResponse {
        guard let start = start(of: request.header("Range")), start < bytes.count else {
            return .data(bytes).header("ETag", "\"1\"")
                .cut(.stall, afterBodyBytes: bytes.count / 2)
        }
        return .data(bytes.dropFirst(start), statusCode: 206).header("ETag", "\"1\"")
            .header("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
    }

    /// The 7 of "bytes=7-".
    private static func start(of range: String?) -> Int? {
        range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }

    private static func size(of file: URL) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Downloads a file. This is what the process does that is killed.
    static func download(_ url: String, to path: String, _ transport: String) async throws {
        guard let transport = Setting.Transport(rawValue: transport) else { return }
        let provider = ServiceProvider<Endpoint>(transport: try transport.make())
        try await provider.download(
            service: Endpoint(baseURL: url, path: "/film", timeout: 60),
            to: URL(fileURLWithPath: path), options: .resume)
    }
}
