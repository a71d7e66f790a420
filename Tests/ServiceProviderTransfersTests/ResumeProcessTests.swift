// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

// Swift 6.2 has no exit tests with captured values.
#if (os(Linux) || os(macOS)) && compiler(>=6.3)
/// Several processes that download to the same file with `.resume` share its part.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResumeProcessTests {
    let folder: TemporaryFolder
    var target: URL { folder.file("film.mp4") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(.row("D12", "Q19")) func aSecondProcessIsRefused() async throws {
        let server = try LoopbackServer()
        let start = LoopbackResponse.data(noise(1_000)).header("ETag", #""v1""#)
        server.enqueue(start.cut(.stall, afterBodyBytes: 1))
        let first = Task {
            try await ServiceProvider<TestService>().download(
                service: server.service("/film").patient, to: target, options: .resume)
        }
        _ = try await server.arrival()
        server.enqueue(.text("of the second process"))
        await #expect(processExitsWith: .success) {
            [url = server.baseURL as String, path = target.path as String] in
            let error = try await failure {
                try await ServiceProvider<TestService>().download(
                    service: TestService(baseURL: url, path: "/film"),
                    to: URL(fileURLWithPath: path), options: .resume)
            }
            #expect(error.isFileError)
            #expect(error.description.contains("another download writes to"))
        }
        #expect(server.requests.count == 1)
        first.cancel()
        _ = await first.result
    }

    #if os(Linux)
    /// A process has the open files of its parent until it runs its own program. (Only on Linux, because
    /// `.ci/apple/stubs` has no `posix_spawn`.)
    @Test func aProcessThatIsStartedDoesNotKeepTheLock() async throws {
        let start = LoopbackResponse.data(noise(1_000)).header("ETag", #""v1""#)
        let server = try LoopbackServer { _ in start.cut(.close, afterBodyBytes: 1) }
        let isDone = Locked(false)
        defer { isDone { $0 = true } }
        Thread.detachNewThread {
            while !isDone({ $0 }) {
                Self.runProgram()
            }
        }
        let provider = ServiceProvider<TestService>()
        for _ in 0..<300 {
            let error = try await failure {
                try await provider.download(
                    service: server.service("/film"), to: target, options: .resume)
            }
            #expect(error.invalidPart == nil)
        }
    }

    /// Starts a process, and waits for its end. Not Foundation's `Process`, which leaves sockets open.
    private static func runProgram() {
        let path = "/usr/bin/true"
        let name = strdup(path)
        defer { free(name) }
        var arguments = [name, nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var id = pid_t()
        guard posix_spawn(&id, path, nil, nil, &arguments, &environment) == 0 else { return }
        waitpid(id, nil, 0)
    }
    #endif

    /// Each response is another version of the file, and half of them are incomplete.
    @Test(.row("D12", "Q19")) func processesNeverMixTwoVersions() async throws {
        let size = 2_000
        let count = Locked(0)
        let server = try LoopbackServer { request in
            let number = count { count in
                count += 1
                return count
            }
            let etag = "\"\(number / 2 % 3)\""
            let body = Data(repeating: UInt8(0x30 + number / 2 % 3), count: size)
            let range = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let isRest = range > 0 && range < size && request.header("If-Range") == etag
            let bytes = isRest ? body.dropFirst(range) : body
            var response = LoopbackResponse.data(Data(bytes), statusCode: isRest ? 206 : 200)
                .header("ETag", etag)
            if isRest {
                response = response.header("Content-Range", "bytes \(range)-\(size - 1)/\(size)")
            }
            return number % 2 == 0
                ? response : response.cut(.close, afterBodyBytes: bytes.count / 2)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { [url = server.baseURL, path = target.path] in
                    await #expect(processExitsWith: .success) {
                        [url = url as String, path = path as String] in
                        await Self.download(url, to: path, times: 200)
                    }
                }
            }
        }
        #expect(count { $0 } >= 400)
        #expect(folder.names.contains("film.mp4"))
    }

    /// Downloads again and again, and checks each complete file.
    static func download(_ url: String, to path: String, times: Int) async {
        let provider = ServiceProvider<TestService>()
        let check = ServiceDownloadCheck { file in
            let data = try Data(contentsOf: file)
            #expect(data.count == 2_000)
            #expect(Set(data).count == 1)
        }
        var completed = 0
        // Many attempts fail, because the other process has the file.
        for _ in 0..<200_000 {
            guard completed < times else { break }
            let response = try? await provider.download(
                service: TestService(baseURL: url, path: "/film"),
                to: URL(fileURLWithPath: path), options: [.resume, .overwrite], check: check)
            if response != nil { completed += 1 }
        }
        #expect(completed == times)
    }
}
#endif
