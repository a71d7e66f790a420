// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Swift 6.2 has no exit tests with captured values.
#if os(Linux) && compiler(>=6.3)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests how many descriptors connections take, and when idle ones are closed.
@Suite(.serialized, .opensFiles(300), .timeLimit) struct DescriptorTests {
    /// Lets this process have 64 open files.
    private static func allowFewFiles() throws {
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    }

    @Test(.row("P12")) func aFewDescriptorsAreEnoughForManyCalls() async throws {
        // Not in the other process, because its connections would count twice there.
        let server = try LoopbackServer { _ in .text("hello") }
        await #expect(processExitsWith: .success) { [url = server.baseURL as String] in
            try Self.allowFewFiles()
            let provider = try provider()
            let service = TestService(baseURL: url, timeout: 3_000)
            let ends = await withTaskGroup(of: String.self) { group in
                for _ in 0..<200 { group.addTask { await provider.end(of: service) } }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(ends == ["200": 200], "\(ends)")
        }
        server.stop()
    }

    /// Other code has all files. Once there are some again, calls succeed.
    @Test(.row("P12")) func anErrorSaysThatTooManyFilesAreOpen() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        await #expect(processExitsWith: .success) { [url = server.baseURL as String] in
            try Self.allowFewFiles()
            let provider = try provider()
            let service = TestService(baseURL: url, timeout: 3_000)
            // Starts the threads of the system, which need files. Dispatch opens one each second, and traps if it can't, so
            // the rest has to be quick.
            try await Task.sleep(for: .milliseconds(1))
            var files: [Int32] = []
            while case let file = open("/dev/null", O_RDONLY), file >= 0 { files.append(file) }
            let error = try await provider.failure(of: service)
            #expect(error.description.contains("too many open files"), "\(error)")
            #expect(error.urlErrorCode == .cannotConnectToHost)
            // One of the last files is enough for a call that runs alone. Its own failure is the reason, not the files.
            close(files.removeLast())
            let closed = TestService(baseURL: "http://127.0.0.1:1", timeout: 3_000)
            let other = try await provider.failure(of: closed)
            #expect(!other.description.contains("too many open files"), "\(other)")
            #expect(await provider.end(of: service) == "200")
        }
        server.stop()
    }

    /// Without another call of the transport.
    @Test(.row("P13")) func connectionsThatTheServerClosedAreClosed() async throws {
        let count = 50
        let arrived = Locked(0)
        let areOver = Locked(false)
        let server = try RawServer { connection in
            connection.readHead()
            arrived { $0 += 1 }
            // All connections are open at the same time.
            guard arrived.wait(until: { $0 == count }) else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            // Closes when no call runs that could notice it.
            _ = areOver.wait { $0 }
        }
        defer {
            areOver { $0 = true }
            server.stop()
        }
        let provider = try provider()
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", timeout: 3_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await provider.load(service: service) } }
            try await group.waitForAll()
        }
        areOver { $0 = true }
        #expect(await server.hasEnded(count))
        let port = server.port
        try await within(seconds: 5) {
            while try Self.halfClosedCount(port) > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        withExtendedLifetime(provider) {}
    }

    /// Counts the sockets connected to a port of 127.0.0.1 that only the other side has closed.
    private static func halfClosedCount(_ port: Int) throws -> Int {
        // Such a file has no size, so Foundation's short forms read only its first part.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/net/tcp"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let remote = ":" + String(format: "%04X", port)
        return text.split(separator: "\n").count { line in
            // The number of the line, the local and the remote address, and the state. 08 is CLOSE_WAIT.
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2].hasSuffix(remote) && fields[3] == "08"
        }
    }

    /// Without another call of the transport.
    @Test(.row("P13")) func idleConnectionsAreClosedInTime() async throws {
        let server = try RawServer { connection in
            while connection.readHead().hasSuffix("\r\n\r\n") {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            }
        }
        defer { server.stop() }
        let provider = try provider { $0.maximumIdleTime = 1 }
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", timeout: 3_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await provider.load(service: service) } }
            try await group.waitForAll()
        }
        let count = server.connectionCount
        let isClosed = try await within(seconds: 5) { await server.hasEnded(count) }
        #expect(isClosed)
        withExtendedLifetime(provider) {}
    }
}
#endif
