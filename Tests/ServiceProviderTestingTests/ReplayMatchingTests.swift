// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which entry of an archive a request gets.
@Suite(.serialized, .opensFiles, .timeLimit) struct ReplayMatchingTests {
    /// In linear time.
    @Test(
        .slow,
        arguments: [
            ("https://h/", "https://h/", false),
            ("https://h/?token=***", "https://h/?token=x", false),
            ("https://h/", "https://h/", true),
        ])
    func manyEntriesOfTheSameRequestAreReplayed(
        _ recorded: String, _ sent: String, _ isInFile: Bool
    ) async throws {
        let count = sanitized(10_000)
        let har = try ReplayTests.archive((0..<count).map { (recorded, nil, "\($0)") })
        let provider = try ReplayTests.provider(har)
        var service = TestService(baseURL: sent)
        service.method = .post
        let folder = try TemporaryFolder()
        try Data("body".utf8).write(to: folder.file("body"))
        if isInFile { service.body = .file(folder.file("body")) }
        try await within(seconds: 60) { [service] in
            for number in Array(0..<count) + [count - 1] {
                let text = try await provider.response(service: service).text
                #expect(text == "\(number)")
            }
        }
    }

    /// A query and a body as they are recorded, and as they are sent. N is the number of the entry.
    private static let similar = [
        (["", #"{"a":"b","id":N}"#], ["", #"{"id":N,"a":"b"}"#]),
        (["token=***", #"{"id":N,"token":"***"}"#], ["token=x", #"{"id":N,"token":2}"#]),
        (["q=N", ""], ["q=N", ""]),
        // A body in a file matches all entries, which are replayed in order.
        (["q=1", "N"], ["q=1", "file"]),
    ]

    /// In the opposite order.
    @Test(arguments: similar.indices)
    func entriesThatDifferInAPartOfAValueAreFound(_ kind: Int) async throws {
        let count = 100
        let (recorded, sent) = Self.similar[kind]
        let har = try ReplayTests.archive(
            (0..<count).map { number in
                let texts = recorded.map { $0.replacingOccurrences(of: "N", with: "\(number)") }
                return ("https://h/?" + texts[0], texts[1], "\(number)")
            })
        let provider = try ReplayTests.provider(har)
        let folder = try TemporaryFolder()
        try Data("body".utf8).write(to: folder.file("body"))
        for number in (0..<count).reversed() {
            let texts = sent.map { $0.replacingOccurrences(of: "N", with: "\(number)") }
            var service = TestService(baseURL: "https://h/?" + texts[0])
            service.method = .post
            let isInFile = texts[1] == "file"
            service.body =
                isInFile
                ? .file(folder.file("body"))
                : .data(Data(texts[1].utf8), contentType: "application/json")
            let text = try await provider.response(service: service).text
            #expect(text == "\(isInFile ? count - 1 - number : number)")
        }
    }

    /// The name of an item may be an escaped URL.
    @Test(arguments: [
        "https://h/?next%3D%2Flogin%3Ftoken%3DPLANTED", "https://h/?u:PLANTED@h",
        "https://h/?%7B%22token%22%3A%22PLANTED%22%7D",
    ])
    func anErrorShowsNoSecretOfAName(url: String) async throws {
        let har = try ReplayTests.archive([("https://h/", "", "")])
        let provider = try ReplayTests.provider(har)
        let error = try await provider.failure(of: TestService(baseURL: url))
        #expect(!error.description.contains("PLANTED"), "\(error)")
        #expect(error.description.contains("query"), "\(error)")
    }

    @Test func anErrorNamesTheBodyLast() async throws {
        let har = try ReplayTests.archive([("https://h/?a=1", "x", "")])
        var service = TestService(baseURL: "https://h/?b=2")
        service.method = .post
        service.body = .data(Data("y".utf8), contentType: "text/plain")
        let error = try await ReplayTests.provider(har).failure(of: service)
        #expect(error.description.contains("differs in: 'a', 'b', body."))
    }

    /// Browsers and Foundation escape different characters.
    @Test(arguments: [
        ("?filter[x]=1", "?filter%5Bx%5D=1"), ("/[a]?[]=%20", "/%5Ba%5D?%5B%5D=%20"),
        (
            #"/|"^`{}\a?|"^`{}\=|"^`{}\"#,
            "/%7C%22%5E%60%7B%7D%5Ca?%7C%22%5E%60%7B%7D%5C=%7C%22%5E%60%7B%7D%5C"
        ),
        ("/a b?c d=e f", "/a%20b?c+d=e%20f"), ("/é?é=é&[", "/%C3%A9?%C3%A9=%c3%a9&%5b"),
        ("/%?a=100%&%=%zz", "/%25?a=100%25&%25=%25zz"), ("?a=b=c&d=[%5D", "?a=b%3Dc&d=%5B%5D"),
    ])
    func charactersMayBeEscaped(_ plain: String, _ escaped: String) async throws {
        // Foundation escapes the escapes of a URL again if another character isn't legal.
        let isOnce = !plain.contains("%")
        let pairs = [(plain, escaped), (escaped, escaped)]
        for (recorded, sent) in pairs + (isOnce ? [(escaped, plain), (plain, plain)] : []) {
            let har = try ReplayTests.archive([("https://h" + recorded, nil, "found")])
            let url = try #require(URL(string: "https://h" + sent))
            var request = ServiceRequest(URLRequest(url: url))
            request.urlRequest.httpMethod = "POST"
            let response = try await ServiceReplay(data: Data(har.utf8)).intercept(request) { _ in
                throw CancellationError()
            }
            #expect(response.text == "found", "\(recorded)")
        }
    }

    /// "é" as one character and as two.
    @Test func textsThatLookTheSameAreDifferent() async throws {
        let texts = ["caf%C3%A9", "cafe%CC%81"]
        let har = try ReplayTests.archive(
            texts.flatMap { [("https://h/?q=\($0)", "", $0), ("https://h/?p=\($0)", "", $0)] })
        let provider = try ReplayTests.provider(har)
        for text in texts.reversed() {
            for query in ["q=\(text)", "p=\(text)"] {
                var service = TestService(baseURL: "https://h/?\(query)")
                service.method = .post
                #expect(try await provider.response(service: service).text == text)
            }
        }
    }
}
