// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderSupport
import TestSupport
import Testing

/// Another user may write to the folder of a store, and swaps its folders at random.
@Suite(.serialized, .opensFiles, .timeLimit) struct SwappedFolderTests {
    private let folder: TemporaryFolder
    private let other: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        other = try TemporaryFolder()
    }

    private var newer: String { folder.file("ServiceCache-new").path }

    private func response(_ text: String) -> ServiceStoredResponse {
        ServiceStoredResponse(
            headers: [:], data: Data(text.utf8), varyHeaders: [:], created: Date())
    }

    /// Gives two items the paths of each other.
    private static func exchange(_ first: String, _ second: String) {
        typealias Exchange =
            @convention(c) (
                Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
            ) -> Int32
        guard let symbol = dlsym(nil, "renameat2") else { return }
        _ = unsafeBitCast(symbol, to: Exchange.self)(AT_FDCWD, first, AT_FDCWD, second, 2)
    }

    /// Runs one closure again and again on a thread of its own, while another one runs.
    private func disturbing(
        _ disturb: @escaping @Sendable () -> Void, _ work: () async throws -> Void
    ) async rethrows {
        let isOver = Locked(false)
        let hasEnded = Locked(false)
        Thread.detachNewThread {
            while !isOver({ $0 }) { disturb() }
            hasEnded { $0 = true }
        }
        defer {
            isOver { $0 = true }
            _ = hasEnded.wait { $0 }
        }
        try await work()
    }

    @Test(.row("D14")) func nothingIsWrittenThroughALink() async throws {
        let victim = try other.write("precious", to: "victim").path
        let (newer, evil) = (newer, folder.file("evil").path)
        let store = ServiceDirectoryStore(folder.url)
        try await disturbing {
            // A folder of the store that was left here is moved away.
            if ServiceFileItem(evil)?.isPrivate == true {
                rename(evil, "\(evil)-\(UUID().uuidString)")
            }
            if mkdir(evil, 0o777) == 0 { chmod(evil, 0o777) }
            symlink(victim, "\(evil)/.response.0.new")
            // Only the evil folder is open to others.
            guard ServiceFileItem(newer)?.isPrivate == true,
                ServiceFileItem(evil)?.isPrivate == false
            else { return }
            Self.exchange(newer, evil)
            usleep(.random(in: 0...100))
            Self.exchange(newer, evil)
            usleep(.random(in: 0...60))
        } _: {
            for number in 0..<400 {
                await store.store(response("chosen by a server"), for: "https://h/\(number % 50)")
                try #require(other.text(of: "victim") == "precious")
            }
        }
    }

    /// The other user can't give a file to this one.
    @Test(.row("D14"), .enabled(if: geteuid() == 0))
    func noFileOfAnotherUserIsRead() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(response("good"), for: "https://h/a")
        await ServiceDirectoryStore(other.url).store(response("poison"), for: "https://h/a")
        let (newer, evil) = (newer, folder.file("evil").path)
        #expect(rename(other.file("ServiceCache-new").path, evil) == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: evil) {
            #expect(chown("\(evil)/\(name)", 1, 1) == 0)
        }
        #expect(chown(evil, 1, 1) == 0)
        await disturbing {
            Self.exchange(newer, evil)
            usleep(.random(in: 0...30))
        } _: {
            for _ in 0..<5_000 {
                let text = await store.response(for: "https://h/a").map { $0.data }
                guard let text, text != Data("good".utf8) else { continue }
                Issue.record("A response of another user was returned.")
                return
            }
        }
    }

    @Test(.row("D14")) func nothingBehindALinkIsRemoved() async throws {
        let names = (0..<500).map { "f\($0)" }
        for name in names { try other.write("precious", to: name) }
        let newer = newer
        for round in 0..<20 {
            // A folder that is open to others, so that the store removes it.
            try? FileManager.default.removeItem(atPath: newer)
            #expect(mkdir(newer, 0o777) == 0 && chmod(newer, 0o777) == 0)
            let inner = newer + "/d"
            #expect(mkdir(inner, 0o777) == 0)
            for name in names {
                #expect(FileManager.default.createFile(atPath: "\(inner)/\(name)", contents: nil))
            }
            let link = folder.file("link\(round)").path
            #expect(symlink(other.url.path, link) == 0)
            await disturbing {
                // Once a removal has begun.
                let isWhole = [0, 250, 499].allSatisfy { access("\(inner)/f\($0)", F_OK) == 0 }
                if !isWhole { Self.exchange(inner, link) }
            } _: {
                await ServiceDirectoryStore(folder.url).store(response(""), for: "https://h/")
            }
            try #require(other.names.count == names.count)
        }
    }

    /// Such as a folder of root, after the program has run with sudo.
    @Test(.enabled(if: geteuid() == 0)) func theFilesStayWithinTheirLimit() async throws {
        await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
            let folder = URL(fileURLWithPath: path)
            let older = folder.appendingPathComponent("ServiceCache-old")
            #expect(mkdir(older.path, 0o700) == 0)
            try Data("x".utf8).write(to: older.appendingPathComponent("x"))
            #expect(chown(path, 65_534, 65_534) == 0)
            #expect(setuid(65_534) == 0)
            let store = ServiceDirectoryStore(folder, maximumSize: 1 << 20)
            let response = ServiceStoredResponse(
                headers: [:], data: noise(50_000), varyHeaders: [:], created: Date())
            for number in 0..<100 { await store.store(response, for: "https://h/\(number)") }
            let newer = folder.appendingPathComponent("ServiceCache-new").path
            let names = try FileManager.default.contentsOfDirectory(atPath: newer)
            let size = try names.reduce(0) { size, name in
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: "\(newer)/\(name)")
                return size + (attributes[.size] as? Int ?? 0)
            }
            #expect((1...1 << 20).contains(size))
        }
    }
}
#endif
