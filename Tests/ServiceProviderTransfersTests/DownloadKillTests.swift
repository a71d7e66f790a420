// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import TestTraits
import Testing

// Swift 6.2 has no exit tests with captured values.
#if (os(Linux) || os(macOS)) && compiler(>=6.3)
/// Processes that are killed while they download, and a program that changes the files of running downloads.
@Suite(.serialized, .opensFiles, .timeLimit) struct DownloadKillTests {
    static let size = 60_000
    static let allOptions: [ServiceDownloadOptions] = [
        [], .overwrite, .resume, [.resume, .overwrite],
    ]
    let folder: TemporaryFolder
    let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try Self.server()
    }

    /// Each response is one of two versions of the file, and a third of them are incomplete. All bytes of a version are
    /// the same.
    private static func server() throws -> LoopbackServer {
        let count = Locked(0)
        return try LoopbackServer { request in
            let number = count { count in
                count += 1
                return count
            }
            let version = number / 5 % 2
            let body = Data(repeating: UInt8(0x30 + version), count: size)
            let start = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let isRest = start > 0 && start < size && request.header("If-Range") == "\"\(version)\""
            let bytes = isRest ? body.dropFirst(start) : body
            var response = LoopbackResponse.data(Data(bytes), statusCode: isRest ? 206 : 200)
                .header("ETag", "\"\(version)\"")
            if isRest {
                response = response.header("Content-Range", "bytes \(start)-\(size - 1)/\(size)")
            }
            return number % 3 > 0 ? response : response.cut(.close, afterBodyBytes: bytes.count / 2)
        }
    }

    private static func isWhole(_ file: URL) -> Bool {
        guard let data = try? Data(contentsOf: file) else { return false }
        return data.count == size && Set(data).count == 1
    }

    // MARK: - Kills

    /// A file is complete or missing, whenever its process is killed. The next download removes the leftovers.
    @Test(.row("D20"), arguments: allOptions)
    func aFewKilledDownloadsLeaveNothingWrong(_ options: ServiceDownloadOptions) async throws {
        try await kill(times: 2, options)
    }

    @Test(.slow, .row("D20"), arguments: allOptions)
    func killedDownloadsLeaveNothingWrong(_ options: ServiceDownloadOptions) async throws {
        try await kill(times: 50, options)
    }

    private func kill(times: Int, _ options: ServiceDownloadOptions) async throws {
        let target = folder.file("a.zip")
        let provider = ServiceProvider<TestService>()
        for round in 0..<times {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = server.baseURL as String, path = target.path as String,
                    options = options.rawValue as Int, round = round as Int
                ] in
                var random = SeededGenerator(state: UInt64(round))
                killOwnProcess(withinMicroseconds: 60_000, using: &random)
                await Self.downloadForever(url, to: path, ServiceDownloadOptions(rawValue: options))
            }
            #expect(!folder.names.contains("a.zip") || Self.isWhole(target))
            // Nothing of a killed process stops the next one.
            for attempt in 0..<20 {
                if !options.contains(.overwrite) { unlink(target.path) }
                let response = try? await provider.download(
                    service: server.service().patient, to: target, options: options)
                if response != nil { break }
                #expect(attempt < 19)
            }
            #expect(Self.isWhole(target))
            #expect(folder.names == ["a.zip"])
            if round % 2 == 0 { unlink(target.path) }
        }
    }

    private static func downloadForever(
        _ url: String, to path: String, _ options: ServiceDownloadOptions
    ) async {
        let provider = ServiceProvider<TestService>()
        while true {
            _ = try? await provider.download(
                service: TestService(baseURL: url, path: "/film"), to: URL(fileURLWithPath: path),
                options: options)
            if !options.contains(.overwrite) { unlink(path) }
        }
    }

    // MARK: - Another program

    /// Four processes download to one folder. A fifth one replaces, shortens, links and locks their files.
    @Test(.row("D17")) func aFewDownloadsWhoseFilesAreChangedAreNeverWrong() async throws {
        try await disturb(times: 20)
    }

    @Test(.slow, .row("D17")) func downloadsWhoseFilesAreChangedAreNeverWrong() async throws {
        try await disturb(times: 500)
    }

    private func disturb(times: Int) async throws {
        let other = try TemporaryFolder()
        try other.write("precious", to: "victim")
        let turn = try other.write("", to: "turn")
        let disturbing = Task { [path = folder.url.path, victims = other.url.path] in
            _ = await #expect(processExitsWith: .success) {
                [path = path as String, victims = victims as String] in
                Self.disturb(path, victims)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask { [url = server.baseURL, path = folder.url.path, turn = turn.path] in
                    await #expect(processExitsWith: .success) {
                        [
                            url = url as String, path = path as String, number = number as Int,
                            times = times as Int, turn = turn as String
                        ] in
                        try await Self.download(url, to: path, number, times, turn)
                    }
                }
            }
        }
        try other.write("", to: "stop")
        _ = await disturbing.value
        #expect(other.text(of: "victim") == "precious")
    }

    /// Each process has files of its own, because it couldn't check one that another process replaces.
    private static func download(
        _ url: String, to path: String, _ number: Int, _ times: Int, _ turn: String
    ) async throws {
        let provider = ServiceProvider<TestService>()
        let service = TestService(baseURL: url, path: "/\(number).zip", timeout: 10)
        let folder = URL(fileURLWithPath: path)
        let target = folder.appendingPathComponent("\(number).zip")
        // A file can become shorter while its download returns, so nothing does from its last check on.
        let descriptor = open(turn, O_RDWR | O_APPEND)
        let check = ServiceDownloadCheck { _ in flock(descriptor, LOCK_SH) }
        var count = 0
        for round in 0..<times {
            defer { flock(descriptor, LOCK_UN) }
            let options = allOptions[round % 4]
            unlink(target.path)
            if round % 5 == 4 {
                let file = try? await provider.download(
                    service: service, into: folder, options: options.subtracting(.resume),
                    check: check)
                guard file != nil else { continue }
            } else {
                let response = try? await provider.download(
                    service: service, to: target, options: options, check: check)
                guard response != nil else { continue }
            }
            #expect(isWhole(target), "\(options)")
            count += 1
            // Tells the fifth process how fast this machine is.
            _ = write(descriptor, "+", 1)
        }
        // Otherwise, this would test nothing.
        #expect(count > times / 10, "\(count) of \(times) succeeded")
    }

    private static func disturb(_ path: String, _ victims: String) {
        var random = SeededGenerator(state: 7)
        let turn = open(victims + "/turn", O_RDWR)
        var locked: [Int32] = []
        // Waits, so that most downloads are disturbed, but not all: longer if few of them succeed.
        var longestWait: useconds_t = 4_000
        var waits = 0
        var successes = 0
        while !FileManager.default.fileExists(atPath: victims + "/stop") {
            usleep(useconds_t.random(in: 0...longestWait, using: &random))
            waits += 1
            if waits % 100 == 0, let count = size(of: victims + "/turn") {
                if count - successes < 4 { longestWait = min(longestWait * 2, 500_000) }
                successes = count
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            let hidden = names.filter { $0.hasPrefix(".") }.sorted()
            guard let name = hidden.randomElement(using: &random) else { continue }
            let file = "\(path)/\(name)"
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                guard let size = size(of: file) else { continue }
                flock(turn, LOCK_EX)
                truncate(file, off_t(Int.random(in: 0...size, using: &random)))
                flock(turn, LOCK_UN)
            case 1: unlink(file)
            case 2: try? Data("wrong".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            case 3:
                unlink(file)
                symlink(victims + "/victim", file)
            case 4:
                unlink(file)
                link(victims + "/victim", file)
            case 5:
                unlink(file)
                mkfifo(file, 0o600)
            case 6:
                let descriptor = open(file, O_RDONLY | O_NONBLOCK)
                flock(descriptor, LOCK_EX | LOCK_NB)
                locked.append(descriptor)
            default: unlink(hidden.first.map { "\(path)/\($0)" } ?? file)
            }
            if locked.count > 3 { close(locked.removeFirst()) }
        }
    }

    /// Nil for a link to another file, which must not be changed.
    private static func size(of path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let links = attributes?[.referenceCount] as? NSNumber
        guard attributes?[.type] as? FileAttributeType == .typeRegular, links == 1 else {
            return nil
        }
        return (attributes?[.size] as? NSNumber)?.intValue
    }
}
#endif
