// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)
import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Checks that an upload leaves no open or temporary files behind. Each test runs in its own
/// process, because other tests open files too, and uses its own folder for temporary files.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct UploadRemainsTests {
    private struct Remains: Error {
        let descriptors: Int
        let files: [String]
    }

    /// Waits until nothing is left of the calls, because a session's last callback may still be
    /// running.
    private static func expectNothing(_ folder: URL, descriptors: Int) async throws {
        var remains = Remains(descriptors: .max, files: [])
        for _ in 0..<3_000 {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            remains = Remains(descriptors: Self.descriptors, files: files)
            if remains.descriptors <= descriptors, files.isEmpty { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        print(remains)
        exit(1)
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd"))?.count ?? 0
    }

    /// Creates a folder, and makes it this process's folder for temporary files.
    private static func ownTemporaryFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        setenv("TMPDIR", folder.url.path + "/", 1)
        return folder
    }

    private static func bodies(_ file: URL) -> [ServiceBody] {
        [.file(file), .multipart([.file(file, name: "f")])]
    }

    @Test(.row("Q22")) func finishedUploadsLeaveNoFiles() async {
        await #expect(processExitsWith: .success) {
            let source = try TemporaryFolder()
            let folder = try Self.ownTemporaryFolder()
            let file = try source.write(noise(100_000), to: "a")
            let server = try LoopbackServer { .statusCode($0.path == "/fails" ? 500 : 204) }
            let provider = TransportUnderTest.ownSession.provider()
            for body in Self.bodies(file) {
                _ = try await provider.load(service: server.upload(body))
            }
            let before = Self.descriptors
            for body in Self.bodies(file) {
                for _ in 0..<50 {
                    let response = try await provider.response(service: server.upload(body))
                    let error = try await provider.failure(of: server.upload(body, to: "/fails"))
                    // The response and the error are still alive, and so are their requests.
                    try await Self.expectNothing(folder.url, descriptors: before)
                    guard response.statusCode == 204, error.statusCode == 500 else { exit(2) }
                }
            }
            let unreachable = TestService(baseURL: "http://127.0.0.1:1", method: .put)
            for body in Self.bodies(file) {
                var service = unreachable
                service.body = body
                _ = try await provider.failure(of: service)
                // Builds a request without sending it.
                _ = try provider.request(service: service)
            }
            try await Self.expectNothing(folder.url, descriptors: before)
        }
    }

    @Test func aStreamThatHasEndedLeavesNoFiles() async {
        await #expect(processExitsWith: .success) {
            let source = try TemporaryFolder()
            let folder = try Self.ownTemporaryFolder()
            let file = try source.write(noise(100_000), to: "a")
            let server = try LoopbackServer.forUploads()
            let provider = TransportUnderTest.ownSession.provider().onFailure { _, _ in exit(3) }
            let body = ServiceBody.multipart([.file(file, name: "f")])
            let stream = try await provider.stream(service: server.upload(body))
            for try await _ in stream {}
            try await Self.expectNothing(folder.url, descriptors: .max)
            // It's still alive.
            withExtendedLifetime(stream) {}
        }
    }

    @Test func anUnreadableFileLeavesNoFiles() async {
        await #expect(processExitsWith: .success) {
            let source = try TemporaryFolder()
            let folder = try Self.ownTemporaryFolder()
            let (there, gone) = (try source.write(to: "a"), try source.write(to: "b"))
            let server = try LoopbackServer.forUploads()
            let remove = Intercept.changing { _ in try? FileManager.default.removeItem(at: gone) }
            let provider = TransportUnderTest.ownSession.provider(remove)
            let before = Self.descriptors
            let body = ServiceBody.multipart([.file(there, name: "a"), .file(gone, name: "b")])
            let error = try await provider.failure(of: server.upload(body))
            guard error.invalidPart == .body else { exit(2) }
            try await Self.expectNothing(folder.url, descriptors: before)
        }
    }

    @Test func aFormThatCannotBeWrittenLeavesNoFiles() async {
        await #expect(processExitsWith: .success) {
            let source = try TemporaryFolder()
            let folder = try Self.ownTemporaryFolder()
            let file = try source.write(noise(1 << 20), to: "a")
            let server = try LoopbackServer.forUploads()
            let provider = TransportUnderTest.ownSession.provider()
            let before = Self.descriptors
            let body = ServiceBody.multipart([.file(file, name: "f")])
            try await withFileSizeLimit(100_000) {
                let full = try await provider.failure(of: server.upload(body))
                guard full.invalidPart == .body else { exit(2) }
                guard "\(full)".contains("can't be written: "), "\(full)".contains("File too large")
                else { exit(5) }
                try await Self.expectNothing(folder.url, descriptors: before)
                // A cancelled call stops writing before it reaches the limit.
                let cancel = Intercept.changing { _ in withUnsafeCurrentTask { $0?.cancel() } }
                let late = Task {
                    let provider = TransportUnderTest.ownSession.provider(cancel)
                    let body = ServiceBody.multipart([.file(file, name: "f")])
                    return try await provider.failure(of: server.upload(body))
                }
                guard case .cancelled = try await late.value else { exit(4) }
            }
            setenv("TMPDIR", folder.url.path + "/none/", 1)
            let nowhere = try await provider.failure(of: server.upload(body))
            guard "\(nowhere)".contains("/none/"), server.isUntouched else { exit(3) }
        }
    }

    @Test(.row("Q22")) func aThousandCancelledUploadsLeaveNoFiles() async {
        await #expect(processExitsWith: .success) {
            let source = try TemporaryFolder()
            let folder = try Self.ownTemporaryFolder()
            let file = try source.write(noise(2 << 20), to: "a")
            // The server never responds, so a call can end only by being cancelled.
            let server = try LoopbackServer { _ in .never }
            let transport = TransportUnderTest.ownSession.make()
            let before = Self.descriptors
            var random = SeededGenerator(state: 3)
            for round in 0..<50 {
                let tasks = (0..<20).map { _ in
                    let baseURL = server.baseURL
                    let task = Task {
                        let provider = ServiceProvider<TestService>(transport: transport)
                        let body: ServiceBody =
                            round % 2 == 0 ? .file(file) : .multipart([.file(file, name: "f")])
                        let service = TestService(baseURL: baseURL, method: .post, body: body)
                        guard case .cancelled = try await provider.failure(of: service) else {
                            exit(3)
                        }
                    }
                    let moment = Int.random(in: 0...20_000, using: &random)
                    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(moment)) {
                        task.cancel()
                    }
                    return task
                }
                for task in tasks { try await task.value }
            }
            // At least some of the requests were sent.
            if server.requests.isEmpty { exit(2) }
            server.stop()
            // A few descriptors belong to the session, which opens them with its first call. With
            // 1,000 calls, a leak would exceed this allowance.
            try await Self.expectNothing(folder.url, descriptors: before + 8)
        }
    }

    @Test func exitingDuringAnUploadLeavesNoFiles() async throws {
        let folder = try TemporaryFolder()
        setenv("UPLOAD_REMAINS_FOLDER", folder.url.path, 1)
        await #expect(processExitsWith: .exitCode(7)) {
            guard let path = ProcessInfo.processInfo.environment["UPLOAD_REMAINS_FOLDER"] else {
                exit(2)
            }
            setenv("TMPDIR", path + "/", 1)
            let source = URL(fileURLWithPath: path).appendingPathComponent("a")
            try noise(1 << 20).write(to: source)
            let server = try LoopbackServer { _ in
                let files = try? FileManager.default.contentsOfDirectory(atPath: path)
                let own = files?.first { $0 != "a" } ?? ""
                let form = try? FileManager.default.attributesOfItem(atPath: path + "/" + own)
                exit(files?.count == 2 && form?[.posixPermissions] as? Int == 0o600 ? 7 : 3)
            }
            let service = server.upload(.multipart([.file(source, name: "f")]))
            _ = try await TransportUnderTest.ownSession.provider().load(service: service)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left == ["a"])
    }
}
#endif
