// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderSupport
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct DirectoryStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func provider(
        limit: Int = 1 << 20, _ inner: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        let store = ServiceDirectoryStore(folder.url, maximumSize: limit)
        let cache: any ServiceInterceptor = ServiceCache(store: store)
        return ServiceProvider(
            transport: URLSessionTransport(configuration: .ephemeral),
            interceptors: [cache] + inner)
    }

    /// The files of responses, without those in other folders.
    private var files: [URL] {
        ["ServiceCache-new", "ServiceCache-old"].flatMap { name -> [URL] in
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: folder.file(name).path)
            return (names ?? []).map { folder.file(name).appendingPathComponent($0) }
        }
    }

    private func stored(_ text: String) -> ServiceStoredResponse {
        ServiceStoredResponse(
            headers: ["etag": "\"1\""], data: Data(text.utf8), varyHeaders: ["accept": "é\n"],
            created: Date())
    }

    @Test(.row("C19"), arguments: TransportUnderTest.allCases)
    func aFreshResponseOutlivesItsCache(_ transport: TransportUnderTest) async throws {
        let server = try Resource(.init(headers: [("Cache-Control", "max-age=600")])).server()
        for _ in 0..<2 {
            let store = ServiceDirectoryStore(folder.url)
            let provider = transport.provider(ServiceCache(store: store))
            #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        }
        #expect(server.requests.count == 1)
        #expect(files.count == 1)
    }

    @Test(arguments: ["", "one", "\n", "{}\n{}", String(repeating: "\0", count: 50_000)])
    func aResponseIsReadAsItWasWritten(_ text: String) async {
        let store = ServiceDirectoryStore(folder.url, maximumSize: 1 << 20)
        for url in ["https://h/a", "https://h/" + String(repeating: "é/..%", count: 5_000), ""] {
            #expect(await store.response(for: url) == nil)
            let response = stored(text)
            await store.store(response, for: url)
            #expect(await store.response(for: url) == response)
            #expect(await ServiceDirectoryStore(folder.url).response(for: url) == response)
            await store.removeResponse(for: url)
            #expect(await store.response(for: url) == nil)
        }
        #expect(files.isEmpty)
    }

    // MARK: - Limits

    #if os(Linux)
    /// Until a new child process runs its own program, it has all files of its parent open, with their locks.
    @Test func newProcessesDoNotStopTheRemoval() async throws {
        let isDone = Locked(false)
        let starting = Task.detached {
            while !isDone({ $0 }) {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/sh")
                process.arguments = ["-c", ":"]
                try process.run()
                process.waitUntilExit()
            }
        }
        let store = ServiceDirectoryStore(folder.url, maximumSize: 100_000)
        let text = String(repeating: "x", count: 2_000)
        for index in 0..<1_500 {
            await store.store(stored(text), for: "https://h/\(index)")
            guard index % 10 == 9 else { continue }
            let size = try files.map { try Data(contentsOf: $0).count }.reduce(0, +)
            #expect(size <= 100_000)
        }
        isDone { $0 = true }
        try await starting.value
    }
    #endif

    @Test func theOldestResponsesAreRemoved() async throws {
        let store = ServiceDirectoryStore(folder.url, maximumSize: 100_000)
        let text = String(repeating: "x", count: 2_000)
        for index in 0..<150 {
            await store.store(stored(text), for: "https://h/\(index)")
            guard index % 10 == 9 else { continue }
            let sizes = try files.map { try Data(contentsOf: $0).count }
            #expect(sizes.reduce(0, +) <= 100_000)
            #expect(index < 40 || sizes.reduce(0, +) > 25_000)
            #expect(await store.response(for: "https://h/\(index - 7)") != nil)
        }
        #expect(await store.response(for: "https://h/0") == nil)
    }

    @Test func aResponseTooLargeForTheFolderRemovesTheOldOne() async {
        let store = ServiceDirectoryStore(folder.url, maximumSize: 10_000)
        await store.store(stored("one"), for: "a")
        await store.store(stored(String(repeating: "x", count: 1_000)), for: "a")
        #expect(await store.response(for: "a") == nil)
        #expect(files.isEmpty)
    }

    @Test(arguments: [0, -1, Int.min, Int.max])
    func anyLimitIsSafe(_ limit: Int) async {
        let store = ServiceDirectoryStore(folder.url, maximumSize: limit)
        for url in ["a", "b", "a"] { await store.store(stored("one"), for: url) }
        #expect(await (store.response(for: "a") == nil) == (limit <= 0))
    }

    // Swift 6.2 has no exit tests with captured values.
    #if (os(Linux) || os(macOS)) && compiler(>=6.3)
    /// A file that another process replaces is read as a whole.
    @Test(.row("Q21")) func processesShareAFolder() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { [path = folder.url.path] in
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        let folder = URL(fileURLWithPath: path)
                        let store = ServiceDirectoryStore(folder, maximumSize: 200_000)
                        for round in 0..<150 {
                            let text = String(repeating: "\(round % 10)", count: 5_000)
                            let response = ServiceStoredResponse(
                                headers: [:], data: Data(text.utf8), varyHeaders: [:],
                                created: Date())
                            await store.store(response, for: "\(round % 10)")
                            let found = await store.response(for: "\(round % 10)")?.data
                            #expect(found == nil || found == response.data)
                        }
                    }
                }
            }
        }
        let sizes = try files.map { try Data(contentsOf: $0).count }
        #expect(sizes.reduce(0, +) <= 200_000)
        #expect(!sizes.isEmpty)
    }
    #endif

    // MARK: - Damage

    /// A damaged file replaced the one in the other folder.
    @Test func aDamagedFileHidesAnOlderOne() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("old"), for: "a")
        try FileManager.default.moveItem(
            at: folder.file("ServiceCache-new"), to: folder.file("ServiceCache-old"))
        #expect(await store.response(for: "a")?.data == Data("old".utf8))
        await store.store(stored("new"), for: "a")
        #expect(await store.response(for: "a")?.data == Data("new".utf8))
        try Data("{".utf8).write(to: #require(files.first))
        #expect(await store.response(for: "a") == nil)
        await store.removeResponse(for: "a")
        #expect(files.isEmpty)
    }

    static let damage: [String] = [
        "", "\n", "{", "{}\n", "null\n", "[]\n{}", "\"a\"", "\0\0\0\0",
        #"{"U":null}"#, #"{"U":[]}"#, #"{"U":{}}"#, #"{"U":{"headers":{}}}"#,
        #"{"U":{"headers":{},"data":"b25l","varyHeaders":{},"created":1}"#,
        #"{"V":{"headers":{},"data":"b25l","varyHeaders":{},"created":1}}"#,
        #"{"U":{"headers":{},"data":"%%%","varyHeaders":{},"created":1}}"#,
        #"{"U":{"headers":{},"data":1,"varyHeaders":{},"created":1}}"#,
        #"{"U":{"headers":{"a":1},"data":"b25l","varyHeaders":{},"created":1}}"#,
        #"{"U":{"headers":{},"data":"b25l","varyHeaders":{},"created":1e999}}"#,
        #"{"U":{"headers":{},"data":"b25l","varyHeaders":{},"created":"1"}}"#,
        #"{"U":{"headers":{},"data":"b25l","varyHeaders":{}}}"#,
    ]

    /// Writes a text in place of the file for a response, with the right checksum.
    private func plant(_ text: String, for url: String, in store: ServiceDirectoryStore)
        async throws
    {
        await store.store(stored("one"), for: url)
        try Data("\(text.digest)\n\(text)".utf8).write(to: #require(files.first))
    }

    @Test(.row("Z16"), arguments: damage)
    func aDamagedFileIsAMiss(_ text: String) async throws {
        let (server, provider) = (try Resource().server(), provider())
        let store = ServiceDirectoryStore(folder.url)
        let url = server.baseURL + "/start"
        let text = text.replacingOccurrences(of: "\"U\"", with: "\"\(url)\"")
        try await plant(text, for: url, in: store)
        #expect(await store.response(for: url) == nil)
        #expect(try await provider.texts(of: server.service()) == ["one", "one"])
        #expect(server.tags == [nil, "\"1\""])
    }

    /// Dates far away, and headers that no server can send.
    @Test(
        .row("Z16"),
        arguments: [
            #""created":1e300"#, #""created":-1e300"#, #""created":1.7e308"#, #""created":0"#,
        ])
    func oddDatesAreStale(_ created: String) async throws {
        let (server, provider) = (try Resource().server(), provider())
        let url = server.baseURL + "/start"
        let headers = #"{"cache-control":"max-age=60000","etag":"\"1\"","x\r\ny":"\u0000"}"#
        let file =
            #"{"\#(url)":{"headers":\#(headers),"varyHeaders":{},\#(created),"data":"b2xk"}}"#
        let store = ServiceDirectoryStore(folder.url)
        try await plant(file, for: url, in: store)
        #expect(await store.response(for: url)?.data == Data("old".utf8))
        #expect(try await provider.texts(of: server.service(), 1) == ["old"])
        #expect(server.tags == ["\"1\""])
        let offline = provider.wrapped(in: ServiceCachePolicy.offline)
        #expect(try await offline.texts(of: server.service(), 1) == ["old"])
    }

    @Test(.row("Z16")) func aFileThatIsCutOffIsAMiss() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("one"), for: "a")
        let file = try #require(files.first)
        let whole = try Data(contentsOf: file)
        for count in whole.indices {
            try whole.prefix(count).write(to: file)
            #expect(await store.response(for: "a") == nil)
        }
        try (whole + whole).write(to: file)
        #expect(await store.response(for: "a") == nil)
        try whole.write(to: file)
        #expect(await store.response(for: "a") != nil)
    }

    /// A damaged body was once returned.
    @Test(.row("Z16")) func eachDamagedByteIsAMiss() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("one"), for: "a")
        let file = try #require(files.first)
        let whole = try Data(contentsOf: file)
        for index in whole.indices {
            var damaged = whole
            // Another digit or another letter in Base64, mostly.
            damaged[index] ^= 1
            try damaged.write(to: file)
            #expect(await store.response(for: "a") == nil, "\(index)")
        }
    }

    /// Two URLs may have the same hash.
    @Test func theFileOfAnotherURLIsAMiss() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("a"), for: "a")
        let file = try #require(files.first)
        await store.removeResponse(for: "a")
        await store.store(stored("b"), for: "b")
        try FileManager.default.moveItem(at: #require(files.first), to: file)
        #expect(await store.response(for: "a") == nil)
        await store.store(stored("a"), for: "a")
        #expect(await store.response(for: "a")?.data == Data("a".utf8))
    }

    @Test(.slow, .row("Z16", "Q13")) func hugeFilesAreReadInLinearTime() async throws {
        let store = ServiceDirectoryStore(folder.url, maximumSize: 100 << 20)
        let many = (0..<300_000).map { #""\#($0)":"x""# }.joined(separator: ",")
        let deep = String(repeating: "[", count: 10_000)
        let deepObject = String(repeating: #"{"a":"#, count: 10_000)
        let texts = [
            deep, deepObject, String(repeating: "{", count: 1 << 20),
            String(repeating: " ", count: 1 << 20), String(repeating: "\n", count: 1 << 20),
            String(repeating: "\\u", count: 1 << 19), "\"" + String(repeating: "é", count: 1 << 19),
            #"{"a":{"headers":{\#(many)},"data":"","varyHeaders":{},"created":1}}"#, "{\(many)}",
            String(repeating: "9", count: 1 << 20),
            "{\"" + String(repeating: "\u{5C1}\u{5B0}", count: 1 << 18) + "\":1}",
        ]
        for text in texts {
            try await plant(text + "\n", for: "a", in: store)
            _ = await store.response(for: "a")
        }
    }

    #if os(Linux) || os(macOS)
    /// A pipe would block its reader, and `/dev/zero` has no end.
    @Test(.row("Z16")) func otherKindsOfFilesAreMisses() async throws {
        let (server, store) = (try Resource().server(), ServiceDirectoryStore(folder.url))
        let url = server.baseURL + "/start"
        for kind in ["folder", "pipe", "device", "loop"] {
            await store.store(stored("one"), for: url)
            let file = try #require(files.first)
            try FileManager.default.removeItem(at: file)
            switch kind {
            case "folder":
                try FileManager.default.createDirectory(
                    at: file, withIntermediateDirectories: true)
            case "pipe": #expect(mkfifo(file.path, 0o600) == 0)
            default:
                let target = kind == "device" ? "/dev/zero" : file.path
                try FileManager.default.createSymbolicLink(
                    atPath: file.path, withDestinationPath: target)
            }
            #expect(await store.response(for: url) == nil)
            #expect(try await provider().texts(of: server.service(), 1) == ["one"])
            await store.removeAll()
        }
    }
    #endif

    // MARK: - Folders

    /// A file, a FIFO, a folder that can't be created, and a URL that isn't a file's.
    @Test(
        arguments: [
            "file", "pipe", "/proc/none", "/dev/null/none", "https://example.com/", "gone",
        ])
    func aFolderThatCannotBeUsedFailsNoCall(_ kind: String) async throws {
        let server = try Resource(.init(headers: [("Cache-Control", "max-age=60000")])).server()
        try folder.write("x", to: "file")
        #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
        let url =
            switch kind {
            case "file", "pipe": folder.file(kind)
            case "gone": folder.file("gone")
            default:
                URL(string: kind).flatMap { $0.scheme == nil ? nil : $0 }
                    ?? URL(fileURLWithPath: kind)
            }
        let cache = ServiceCache(store: ServiceDirectoryStore(url))
        let provider = ServiceProvider<TestService>(interceptors: [cache])
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        if kind == "gone" { try FileManager.default.removeItem(at: url) }
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        #expect(server.requests.count == 2)
        _ = try await provider.load(service: server.service(method: .put))
        await cache.removeAll()
    }

    @Test func removeAllLeavesOtherFiles() async throws {
        let server = try Resource(.init(headers: [("Cache-Control", "max-age=60000")])).server()
        try folder.write("mine", to: "file")
        let cache = ServiceCache(store: ServiceDirectoryStore(folder.url))
        let provider = ServiceProvider<TestService>(interceptors: [cache])
        _ = try await provider.texts(of: server.service())
        await cache.removeAll()
        #expect(folder.names == ["file"])
        _ = try await provider.texts(of: server.service())
        #expect(server.requests.count == 2)
    }

    /// Calls of another task remove single responses at the same time.
    @Test(.slow) func removeAllRemovesAllResponsesDuringOtherRemovals() async throws {
        let store = ServiceDirectoryStore(folder.url)
        for _ in 0..<2 {
            let urls = (0..<sanitized(1_000)).map(String.init)
            for url in urls { await store.store(stored("one"), for: url) }
            async let all: Void = store.removeAll()
            // Deletes files that the other task has already listed.
            for url in urls.dropLast() { await store.removeResponse(for: url) }
            await all
            #expect(folder.names.isEmpty)
        }
    }

    /// Other users of a server can't read the responses.
    @Test func theFolderBelongsToItsUser() async throws {
        await ServiceDirectoryStore(folder.url).store(stored("one"), for: "a")
        let path = folder.file("ServiceCache-new").path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let permissions = try #require(attributes[.posixPermissions] as? NSNumber)
        #expect(permissions.intValue & 0o77 == 0)
    }

    /// Another user may have created the folder or written to it.
    @Test(arguments: ["ServiceCache-new", "ServiceCache-old"], [0o777, 0o750, 0o701])
    func aFolderWithOtherPermissionsIsReplaced(_ name: String, permissions: Int) async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("planted"), for: "a")
        let new = folder.file("ServiceCache-new")
        if name != "ServiceCache-new" {
            try FileManager.default.moveItem(at: new, to: folder.file(name))
        }
        #expect(await store.response(for: "a") != nil)
        #expect(chmod(folder.file(name).path, mode_t(permissions)) == 0)
        #expect(await store.response(for: "a") == nil)
        await store.store(stored("one"), for: "b")
        #expect(await store.response(for: "a") == nil)
        #expect(await store.response(for: "b")?.data == Data("one".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: new.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    /// Only the administrator can give a folder to somebody else.
    @Test(.enabled(if: geteuid() == 0)) func aFolderOfAnotherUserIsNotRead() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("planted"), for: "a")
        #expect(chown(folder.file("ServiceCache-new").path, 1, 1) == 0)
        #expect(await store.response(for: "a") == nil)
    }

    /// Any reader of the caches folder can lock it.
    @Test func aReaderWithALockDoesNotStopTheRemoval() async throws {
        let descriptor = open(folder.url.path, O_RDONLY)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        let store = ServiceDirectoryStore(folder.url, maximumSize: 100_000)
        for index in 0..<100 {
            await store.store(stored(String(repeating: "x", count: 2_000)), for: "\(index)")
        }
        let sizes = try files.map { try Data(contentsOf: $0).count }
        #expect(sizes.reduce(0, +) <= 100_000)
    }

    /// A process that was killed leaves such a file.
    @Test func anIncompleteFileIsRemoved() async throws {
        let store = ServiceDirectoryStore(folder.url)
        await store.store(stored("one"), for: "a")
        let file = folder.file("ServiceCache-new/.response.0.new")
        try Data("half of it".utf8).write(to: file)
        await store.store(stored("two"), for: "b")
        #expect(files.count == 2)
        #expect(!files.contains { $0.lastPathComponent.hasPrefix(".") })
    }
}
