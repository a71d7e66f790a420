// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import TestTraits
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The list of downloads, with an ordinary session: only an app has a background session.
@Suite(.serialized, .opensFiles, .timeLimit) struct BackgroundDownloadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func downloads(in folder: URL) throws -> BackgroundDownloads {
        let configuration = URLSessionConfiguration.ephemeral
        // On Linux, cancelling a task of a session with a cache can end the process.
        configuration.urlCache = nil
        return try BackgroundDownloads(folder: folder, configuration: configuration)
    }

    private func downloads() throws -> BackgroundDownloads {
        try Self.downloads(in: folder.url)
    }

    private func episode(
        _ name: String, at server: LoopbackServer, path: String = "/a"
    ) -> Episode {
        Episode(baseURL: server.baseURL, path: path, name: name)
    }

    /// The ID of the first download.
    private func idOfTheFirst() throws -> String {
        let list = try #require(folder.text(of: ".downloads.json"))
        return String(try #require(list.firstMatch(of: /"id":"([^"]*)"/)).1)
    }

    /// Waits until the list has these states.
    private func wait(
        for downloads: BackgroundDownloads, until isRight: ([String]) -> Bool
    ) async -> [String] {
        while true {
            let states = downloads.list.map { Self.text(of: $0.state) }
            guard !isRight(states) else { return states }
            // Ends at the next change, or with the test.
            for await _ in downloads.changes { break }
            guard !Task.isCancelled else { return states }
        }
    }

    private func ends(of downloads: BackgroundDownloads) async -> [String] {
        await wait(for: downloads) { !$0.contains("running") && !$0.contains("waiting") }
    }

    private static func text(of state: BackgroundDownloads.State) -> String {
        switch state {
        case .waiting: "waiting"
        case .running: "running"
        case .finished(let file): "finished \(file.lastPathComponent)"
        case .failed(.transport(let error)): "URLError \(error.code.rawValue)"
        case .failed(let error): error.statusCode.map { "status \($0)" } ?? "\(error)"
        }
    }

    @Test func aDownloadEndsInAFile() async throws {
        let server = try LoopbackServer { .text($0.path) }
        // From a launch that ended before the list was written.
        try folder.write("old", to: "a.mp3")
        let downloads = try downloads()
        try downloads.add(episode("a.mp3", at: server))
        try downloads.add(episode("b.mp3", at: server, path: "/b"))
        #expect(await ends(of: downloads) == ["finished a.mp3", "finished b.mp3"])
        #expect(folder.names == [".downloads.json", "a.mp3", "b.mp3"])
        #expect(folder.text(of: "a.mp3") == "/a" && folder.text(of: "b.mp3") == "/b")
        // The next launch has nothing to do.
        let next = try self.downloads()
        next.start()
        for await _ in next.changes { break }
        #expect(await ends(of: next) == ["finished a.mp3", "finished b.mp3"])
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        (LoopbackResponse.text("no", statusCode: 404), "status 404"),
        (.text("no", statusCode: 500), "status 500"), (.statusCode(304), "status 304"),
        (.statusCode(200), "finished a.mp3"), (.text("partial", statusCode: 206), "finished a.mp3"),
        (.text("abc").cut(.close, afterHeaderBytes: 0), "URLError"),
        (.text("abc").cut(.reset, afterHeaderBytes: 0), "URLError"),
        (.text("abc").cut(.close, afterBodyBytes: 2), "URLError"),
        (.text("abc").cut(.reset, afterBodyBytes: 2), "URLError"),
    ])
    func eachResponseHasAState(_ response: LoopbackResponse, _ state: String) async throws {
        let isGood = Locked(false)
        let server = try LoopbackServer { _ in isGood { $0 } ? .text("good") : response }
        let downloads = try downloads()
        try downloads.add(episode("a.mp3", at: server))
        let states = await ends(of: downloads)
        #expect(states.count == 1 && states[0].hasPrefix(state))
        let isFile = state == "finished a.mp3"
        // The body of an error isn't the file.
        #expect(folder.names == [".downloads.json"] + (isFile ? ["a.mp3"] : []))
        // The next launch knows it, too, and doesn't start it by itself.
        let next = try self.downloads()
        next.start()
        for await _ in next.changes { break }
        #expect(next.list.map { Self.text(of: $0.state) } == states)
        guard !isFile else { return }
        isGood { $0 = true }
        try next.add(episode("a.mp3", at: server))
        #expect(await ends(of: next) == ["finished a.mp3"])
        #expect(folder.text(of: "a.mp3") == "good")
    }

    /// Fields with secrets don't go to another server.
    @Test func aRedirectToAnotherServerTakesNoFieldAlong() async throws {
        let other = try LoopbackServer { _ in .text("abc") }
        let server = try LoopbackServer {
            .redirect(to: $0.path == "/a" ? "/b" : other.baseURL + "/c", statusCode: 302)
        }
        let session = URLSession(
            configuration: .ephemeral, delegate: try downloads(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        var request = URLRequest(url: try #require(URL(string: server.baseURL + "/a")))
        request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
        request.setValue("key", forHTTPHeaderField: "X-Api-Key")
        session.downloadTask(with: request).resume()
        let arrived = try await other.arrival()
        #expect(arrived.path == "/c")
        #expect(arrived.header("Authorization") == nil && arrived.header("X-Api-Key") == nil)
        #expect(server.requests.map { $0.header("X-Api-Key") } == ["key", "key"])
    }

    @Test(
        arguments: [
            ("https://a.com/", "http://a.com/", nil), ("http://a.com/", "HTTPS://a.com/", []),
            ("HTTPS://a.com/", "https://A.com:443/b", ["X-Api-Key"]),
            ("https://a.com/", "https://b.com/", []), ("http://a.com/", "http://a.com:8080/", []),
        ] as [(String, String, [String]?)])
    func aRedirectKeepsFieldsAndStaysSecure(
        from old: String, to new: String, fields: [String]?
    ) async throws {
        let downloads = try downloads()
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: old))
        let task = session.downloadTask(with: url)
        var request = URLRequest(url: try #require(URL(string: new)))
        request.setValue("key", forHTTPHeaderField: "X-Api-Key")
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil))
        let decided = await withCheckedContinuation { continuation in
            downloads.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request
            ) { continuation.resume(returning: $0) }
        }
        #expect(decided.map { ($0.allHTTPHeaderFields ?? [:]).keys.sorted() } == fields)
    }

    /// A full disk has no room for the list. Here, a folder has its name.
    @Test func aListThatCanNotBeWrittenChangesNothing() async throws {
        let server = try LoopbackServer { _ in .text("abc") }
        let downloads = try downloads()
        let list = folder.file(".downloads.json")
        let blocker = list.appendingPathComponent("a")
        try FileManager.default.createDirectory(at: blocker, withIntermediateDirectories: true)
        let episode = episode("a.mp3", at: server)
        #expect(throws: CocoaError.self) { try downloads.add(episode) }
        #expect(downloads.list.isEmpty && server.isUntouched)
        try FileManager.default.removeItem(at: list)
        try downloads.add(episode)
        #expect(await ends(of: downloads) == ["finished a.mp3"])
        // The file is gone, but the list has it until it can be written.
        try FileManager.default.removeItem(at: list)
        try FileManager.default.createDirectory(at: blocker, withIntermediateDirectories: true)
        #expect(throws: CocoaError.self) { try downloads.remove("a.mp3") }
        #expect(downloads.list.count == 1 && !folder.names.contains("a.mp3"))
        try FileManager.default.removeItem(at: list)
        try downloads.remove("a.mp3")
        #expect(downloads.list.isEmpty && folder.names == [".downloads.json"])
    }

    @Test func aFileThatCanNotBeMovedIsAFailure() async throws {
        let server = try LoopbackServer { _ in .text("abc") }
        let downloads = try downloads()
        try downloads.add(episode(String(repeating: "a", count: 300), at: server))
        #expect(await ends(of: downloads) == ["URLError -3005"])
        guard case .failed(let error) = downloads.list[0].state else { return }
        #expect(error.localizedDescription == "The file can't be read or written.")
    }

    @Test(arguments: ["", ".", "..", ".a", "a/b", "/a", "../a"])
    func aNameIsThatOfAFileInTheFolder(name: String) throws {
        let server = try LoopbackServer { _ in .text("abc") }
        let downloads = try downloads()
        #expect(throws: CocoaError.self) { try downloads.add(episode(name, at: server)) }
        #expect(downloads.list.isEmpty && server.isUntouched)
    }

    @Test func aRequestThatCanNotBeSentIsNotAdded() throws {
        let downloads = try downloads()
        let episode = Episode(baseURL: "ftp://example.com", path: "/a", name: "a.mp3")
        #expect(throws: ServiceError.self) { try downloads.add(episode) }
        #expect(downloads.list.isEmpty)
    }

    @Test func eachDownloadStartsOnce() async throws {
        let isOpen = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            isOpen.waitForAMinute()
            return .text("abc")
        }
        let downloads = try downloads()
        for _ in 0..<3 {
            try downloads.add(episode("a.mp3", at: server))
            downloads.start()
            downloads.start()
            for await _ in downloads.changes { break }
        }
        #expect(downloads.list.map { Self.text(of: $0.state) } == ["running"])
        isOpen.signal()
        #expect(await ends(of: downloads) == ["finished a.mp3"])
        try downloads.add(episode("a.mp3", at: server))
        downloads.start()
        for await _ in downloads.changes { break }
        #expect(server.requests.count == 1)
    }

    @Test func aRemovedDownloadLeavesNothing() async throws {
        let server = try LoopbackServer { $0.path == "/a" ? .text("abc") : .never }
        let downloads = try downloads()
        try downloads.add(episode("a.mp3", at: server))
        _ = await ends(of: downloads)
        try downloads.add(episode("b.mp3", at: server, path: "/b"))
        while try await server.arrival().path != "/b" {}
        for name in ["a.mp3", "b.mp3", "../c.mp3"] { try downloads.remove(name) }
        #expect(downloads.list.isEmpty)
        #expect(folder.names == [".downloads.json"])
        // The end of the old task isn't that of the new one.
        try downloads.add(episode("b.mp3", at: server))
        #expect(await ends(of: downloads) == ["finished b.mp3"])
        #expect(folder.text(of: "b.mp3") == "abc")
    }

    /// Passes the events of another session to a list, as the system does with those of an earlier launch.
    private final class Forwarder: NSObject, URLSessionDownloadDelegate {
        let downloads: BackgroundDownloads
        let ended = Milestones()

        init(_ downloads: BackgroundDownloads) { self.downloads = downloads }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {
            downloads.urlSession(
                session, downloadTask: downloadTask, didFinishDownloadingTo: location)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            downloads.urlSession(session, task: task, didCompleteWithError: error)
            ended.pass()
        }
    }

    /// A task of an earlier launch is reported after `start()` has started another one.
    @Test(arguments: [("/late", "finished a.mp3"), ("/lost", "running"), ("/gone", "status 404")])
    func aLateTaskOfAnEarlierLaunchCounts(path: String, state: String) async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/late": .text("late")
            case "/lost": .text("abc").cut(.close, afterBodyBytes: 1)
            case "/gone": .statusCode(404)
            default: .never
            }
        }
        let downloads = try downloads()
        try downloads.add(episode("a.mp3", at: server))
        while try await server.arrival().path != "/a" {}
        let forwarder = Forwarder(downloads)
        let session = URLSession(
            configuration: .ephemeral, delegate: forwarder, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: server.baseURL + path))
        // Its number isn't that of the other task.
        _ = session.downloadTask(with: url)
        let task = session.downloadTask(with: url)
        task.taskDescription = try idOfTheFirst()
        task.resume()
        await forwarder.ended.reach(1)
        let states = await wait(for: downloads) { $0 == [state] }
        #expect(states == [state])
        #expect(folder.text(of: "a.mp3") == (path == "/late" ? "late" : nil))
        // The next start doesn't start it again.
        downloads.start()
        for await _ in downloads.changes { break }
        #expect(downloads.list.map { Self.text(of: $0.state) } == [state])
        try downloads.remove("a.mp3")
    }

    /// When a person ends an app, the system cancels its tasks. They may still be listed then.
    @Test func aCancelledDownloadWaits() async throws {
        let isDown = Locked(true)
        let server = try LoopbackServer { _ in isDown { $0 } ? .never : .text("abc") }
        let downloads = try downloads()
        try downloads.add(episode("a.mp3", at: server))
        _ = try await server.arrival()
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        // It has the number of the other task.
        let task = session.downloadTask(with: try #require(URL(string: server.baseURL)))
        task.taskDescription = try idOfTheFirst()
        downloads.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
        #expect(downloads.list.map { Self.text(of: $0.state) } == ["waiting"])
        isDown { $0 = false }
        downloads.start()
        #expect(await ends(of: downloads) == ["finished a.mp3"])
    }

    #if os(Linux)
    /// A removed download ends, and so does one whose file has come from another task.
    @Test func noDownloadRunsWithoutNeed() async throws {
        let files = try LoopbackServer { _ in .text("abc") }
        let server = try RawServer { $0.readToTheEnd() }
        defer { server.stop() }
        let downloads = try downloads()
        for name in ["a.mp3", "b.mp3"] {
            try downloads.add(
                Episode(baseURL: "http://127.0.0.1:\(server.port)", path: "/", name: name))
        }
        let forwarder = Forwarder(downloads)
        let session = URLSession(
            configuration: .ephemeral, delegate: forwarder, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let url = try #require(URL(string: files.baseURL))
        // Its number isn't that of another task.
        for _ in 0..<2 {
            _ = session.downloadTask(with: url)
        }
        let task = session.downloadTask(with: url)
        task.taskDescription = try idOfTheFirst()
        task.resume()
        await forwarder.ended.reach(1)
        #expect(await server.hasEnded(1))
        try downloads.remove("b.mp3")
        #expect(await server.hasEnded(2))
        #expect(downloads.list.map { Self.text(of: $0.state) } == ["finished a.mp3"])
    }
    #endif

    @Test func aDamagedListIsAnError() throws {
        try folder.write("[", to: ".downloads.json")
        #expect(throws: DecodingError.self) { try downloads() }
    }

    #if os(Linux) || os(macOS)
    @Test func aFewKilledProcessesLoseNoDownload() async throws { try await kill(times: 5) }

    @Test(.slow) func killedProcessesLoseNoDownload() async throws { try await kill(times: 200) }

    private static func content(_ number: Int) -> Data { noise(1_000 + 37 * number) }

    /// Gives out numbers at `/next/<the number before>`, and files at `/<number>`.
    private func server(_ added: Locked<Set<Int>>, _ wanted: Int) throws -> LoopbackServer {
        let next = Locked(0)
        return try LoopbackServer { request in
            guard request.path.hasPrefix("/next/") else {
                return .data(Self.content(Int(request.path.dropFirst()) ?? 0))
            }
            if let number = Int(request.path.dropFirst(6)) {
                added { _ = $0.insert(number) }
            }
            let number = next { number in
                number += 1
                return number
            }
            return number <= wanted ? .text("\(number)") : .never
        }
    }

    /// Adds downloads with the server's numbers, one after the other.
    private static func run(_ baseURL: String, _ folder: URL) async throws {
        let downloads = try downloads(in: folder)
        downloads.start()
        let provider = ServiceProvider<TestService>()
        var last = ""
        while true {
            last = try await provider.text(
                of: TestService(baseURL: baseURL, path: "/next/\(last)"))
            try downloads.add(
                Episode(baseURL: baseURL, path: "/\(last)", name: "\(last).mp3"))
        }
    }

    private func kill(times: Int) async throws {
        let added = Locked<Set<Int>>([])
        let server = try server(added, 200)
        let hasEnough = { added { $0.count } > times / 5 }
        await runKillRounds(times, until: hasEnough) { round, latest in
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = server.baseURL as String, path = folder.url.path as String,
                    round = round as Int, latest = latest as useconds_t
                ] in
                var random = SeededGenerator(state: UInt64(round))
                killOwnProcess(withinMicroseconds: latest, using: &random)
                try await Self.run(url, URL(fileURLWithPath: path))
            }
        }
        let downloads = try downloads()
        downloads.start()
        let states = await ends(of: downloads)
        let names = downloads.list.map(\.episode.name)
        #expect(states == names.map { "finished \($0)" })
        #expect(Set(names).count == names.count)
        #expect(added { $0.isSubset(of: names.compactMap { Int($0.dropLast(4)) }) })
        #expect(hasEnough())
        for name in names {
            let number = Int(name.dropLast(4)) ?? 0
            #expect(try Data(contentsOf: folder.file(name)) == Self.content(number))
        }
        // A killed process may leave a temporary file of the list.
        let files = folder.names.filter { !$0.hasPrefix(".") }
        #expect(files == names.sorted())
    }
    #endif
}
