// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if os(Linux) || os(macOS)
/// Runs cURL commands in a shell, and checks their arguments.
@Suite(.serialized, .opensFiles, .timeLimit) struct CURLTests {
    static func request(
        _ url: String = "https://example.com/a", method: String = "GET",
        headers: [String: String] = [:], body: Data? = nil
    ) throws -> ServiceRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.addFields(headers)
        request.httpBody = body
        return ServiceRequest(request)
    }

    /// Runs a command on its own thread, and returns the contents of the file `$OUT`.
    ///
    /// Doesn't use `Process`: on Linux, `run()` reads past the end of a list of open files, which
    /// crashes the tests when about 1,300 files are open.
    static func run(_ command: String, stub: String? = nil) async throws -> Data {
        let folder = try TemporaryFolder()
        // The stub is a function, not a program file: a file that was just written may be busy
        // while another process starts, and the shell would run the real curl.
        let function = stub.map { "curl() {\n\($0)\n}\n" } ?? ""
        try folder.write("cd '\(folder.url.path)'\n" + function + command, to: "command")
        let words = ["/bin/sh", folder.file("command").path]
        let variables = [
            "PATH=\(path)", "OUT=\(folder.file("out").path)", "no_proxy=*",
            "HOME=\(folder.url.path)",
        ]
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: spawn(words, variables)) }
        }
        #expect(status == 0)
        return (try? Data(contentsOf: folder.file("out"))) ?? Data()
    }

    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    private static var hasCURL: Bool {
        path.split(separator: ":").contains { access("\($0)/curl", X_OK) == 0 }
    }

    /// Returns the exit status of a process that inherits no open files (except on macOS).
    private static func spawn(_ words: [String], _ variables: [String]) -> Int32 {
        let (words, variables) = (words.map { strdup($0) }, variables.map { strdup($0) })
        defer { for text in words + variables { free(text) } }
        var child = pid_t()
        var status: Int32 = 0
        #if os(Linux)
        var actions = posix_spawn_file_actions_t()
        #else
        var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for file in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0)
        }
        #if os(Linux)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        // glibc doesn't fail if one of them has been closed meanwhile.
        for file in files.compactMap({ Int32($0) }) where file > 2 {
            posix_spawn_file_actions_addclose(&actions, file)
        }
        #endif
        let failure = posix_spawn(
            &child, "/bin/sh", &actions, nil, words + [nil], variables + [nil])
        guard failure == 0, waitpid(child, &status, 0) == child else { return -1 }
        return status
    }

    /// Returns the arguments and the input that curl would get.
    private func arguments(_ text: String) async throws -> (words: [String], input: Data) {
        transcribed(text, as: .curl)
        let stub =
            #"for w; do printf '%s\0' "$w"; done >"$OUT"; printf '\0' >>"$OUT"; cat >>"$OUT""#
        let output = try await Self.run(text, stub: stub)
        let end = try #require(output.firstRange(of: Data([0, 0])))
        let words = output[..<end.lowerBound].split(separator: 0, omittingEmptySubsequences: false)
        return (words.map { String(decoding: $0, as: UTF8.self) }, Data(output[end.upperBound...]))
    }

    static let hostile = [
        "it's", "''", "a\nb", "$(touch x)", "`touch x`", "\\", "\\'", "!!", "-o x", "--help", "@x",
        "~",
        "\ta\t", "\"q\"", "$HOME", "*", "a;b", "a&b|c>d<e", "#x", "😀", "é'\u{301}", "%d\\n",
        "{a,b}",
        "'\u{301}$(touch x)'\u{301}", "x=1", "\u{1B}[31m", "\u{202E}", "a\r\nb", "x y",
    ]

    @Test(.row("H6"), arguments: hostile)
    func textBodiesArriveUnchanged(_ body: String) async throws {
        let request = try Self.request(
            method: "POST", headers: ["Content-Type": "text/plain"], body: Data(body.utf8))
        let command = request.curl(isRedacted: false)
        let (words, input) = try await arguments(command)
        let head = [
            "--request", "POST", "--url", "https://example.com/a",
            "--header", "Content-Type: text/plain",
        ]
        let isControl = body.unicodeScalars.contains {
            "\r\u{1B}\u{202E}".unicodeScalars.contains($0)
        }
        #expect(words == head + (isControl ? ["--data-binary", "@-"] : ["--data-raw", body]))
        #expect(input == Data((isControl ? body : "").utf8))
        #expect(!command.contains("\u{1B}") && !command.unicodeScalars.contains("\r"))
    }

    @Test(
        .row("H6"),
        arguments: hostile.filter { !$0.unicodeScalars.contains { $0.value < 32 && $0 != "\t" } })
    func headersAndMethodsArriveUnchanged(_ value: String) async throws {
        let request = try Self.request(method: "A'$(b)", headers: ["X-A": value, "B": ""])
        let (words, _) = try await arguments(request.curl(isRedacted: false))
        #expect(
            words == [
                "--request", "A'$(b)", "--url", "https://example.com/a", "--header", "B;",
                "--header",
                "X-A: \(value)",
            ])
    }

    @Test(arguments: [0, 1]) func binaryBodiesArriveUnchanged(_ first: UInt8) async throws {
        let bytes = Data((first...255).reversed() + (first...255).map { $0 })
        let request = try Self.request(method: "PUT", body: bytes)
        let text = request.curl(isRedacted: false)
        let (words, input) = try await arguments(text)
        #expect(
            words == ["--request", "PUT", "--url", "https://example.com/a", "--data-binary", "@-"])
        #expect(input == bytes)
    }

    /// The body is longer than an argument may be.
    @Test func longBodiesArePiped() async throws {
        let body = Data(String(repeating: "it's 50%\\", count: 20_000).utf8)
        let request = try Self.request(
            method: "PUT", headers: ["Content-Type": "text/plain"], body: body)
        #expect(try await arguments(request.curl(isRedacted: false)).input == body)
    }

    @Test(arguments: [
        ("GET", "https://example.com/a?b=c&d=e", ["--url", "https://example.com/a?b=c&d=e"]),
        ("HEAD", "https://example.com/a", ["--head", "--url", "https://example.com/a"]),
        ("purge", "https://h/", ["--request", "purge", "--url", "https://h/"]),
        ("GET", "https://[::1]/a", ["--globoff", "--url", "https://[::1]/a"]),
        ("GET", "https://joe:pass@h/'?apikey=1", ["--url", "https://***@h/'?apikey=***"]),
    ])
    func methodsAndURLsBecomeArguments(_ method: String, _ url: String, _ expected: [String])
        async throws
    {
        #expect(try await arguments(Self.request(url, method: method).curl()).words == expected)
    }

    /// Headers that curl treats specially are left out: file names and `Content-Length`.
    @Test func noHeaderReadsAFile() async throws {
        let headers = ["@/etc/passwd": "x", "Content-Length": "3", "X": "1", "TE": "2"]
        let words = try await arguments(Self.request(headers: headers).curl()).words
        let shown = ["--header", "TE: 2", "--header", "X: ***"]
        #expect(words == ["--url", "https://example.com/a"] + shown)
    }

    @Test func binaryAndSecretBodiesAreNotShown() async throws {
        var request = try Self.request(method: "PUT", body: Data([0xFF, 0]))
        let end = ["--data-binary", "@(2 bytes that are not shown)"]
        #expect(try await arguments(request.curl()).words.suffix(2) == end)
        let form = Data(
            "--b\r\nContent-Disposition: form-data; name=password\r\n\r\nx\r\n--b--".utf8)
        request.urlRequest.httpBody = form
        request.urlRequest.setValue(
            "multipart/form-data; boundary=b", forHTTPHeaderField: "Content-Type")
        #expect(try await arguments(request.curl()).words.last == "@(62 bytes that are not shown)")
        #expect(try await arguments(request.curl(isRedacted: false)).input == form)
        request.upload = { throw CancellationError() }
        let words = try await arguments(request.curl()).words
        #expect(words.last == "@(a body that is not in memory)")
    }

    @Test(.row("H6"), arguments: PlantedSecrets.places)
    func noSecretIsShown(_ place: String) throws {
        let endpoint = PlantedSecrets.endpoint(place, at: "https://example.com")
        let request = try ServiceProvider<TestService>().request(service: endpoint)
        let text = transcribed(request.curl(), as: .curl)
        #expect(!text.contains("canary"), "\(text)")
        // A multipart or XML body isn't shown at all.
        #expect(text.contains("***") || text.contains("not shown"), "\(text)")
        let whole = request.curl(isRedacted: false)
        switch place {
        case "basic password": #expect(whole.contains("Basic am9lOm"))
        case "multipart": #expect(whole.hasPrefix("printf %b "))
        default: #expect(whole.contains("canary-7f3a"))
        }
    }

    /// Sends the request with the real curl.
    @Test(
        .enabled(if: hasCURL, "needs curl"),
        arguments: ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"])
    func curlSendsTheSameRequest(_ method: String) async throws {
        let server = try LoopbackServer(responses: [.text("a"), .text("a")])
        var service = server.service("/a b'[]{}$", method: .init(rawValue: method))
        service.headers = ["X-A": "it's $(a)", "X-Empty": "", "Accept": "*/*", "User-Agent": "x"]
        if method.hasPrefix("P") {
            service.body = .data(Data("@it's\r\n\u{1}é%".utf8), contentType: "text/plain")
        }
        let provider = ServiceProvider<TestService>()
        _ = try await provider.response(service: service)
        let text = try provider.request(service: service).curl(isRedacted: false)
        _ = try await Self.run(transcribed(text, as: .curl))
        let requests = server.requests
        try #require(requests.count == 2)
        let ours = ["x-a", "x-empty", "content-type"]
        let (sent, repeated) = (requests[0], requests[1])
        #expect(sent.method == repeated.method && sent.target == repeated.target)
        #expect(ours.map(sent.header) == ours.map(repeated.header))
        #expect(sent.body == repeated.body)
    }

    @Test func aByteOrderMarkIsKept() async throws {
        let body = Data("\u{FEFF}name,age".utf8)
        let request = try Self.request(
            method: "POST", headers: ["Content-Type": "text/csv"], body: body)
        let command = request.curl(isRedacted: false)
        let sent = try await Self.run(command, stub: "cat > \"$OUT\"")
        #expect(sent == body, "\(command)")
    }

    @Test func aStreamIsNotShown() throws {
        var request = try Self.request(method: "POST")
        request.urlRequest.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(request.curl().hasSuffix("--data-binary '@(a body that is not in memory)'"))
    }
}
#endif
