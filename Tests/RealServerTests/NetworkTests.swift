// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CurlTransport
import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls over networks that lose, delay and reorder packets, or are interrupted for 5 seconds.
/// `.ci/check-networks` makes the networks, and prints the outcomes as a table.
@Suite(
    .slow, .enabled(if: BadNetwork.isPresent, BadNetwork.hint), .serialized, .opensFiles, .timeLimit
)
struct NetworkTests {
    /// Ends an attempt after 2 seconds of silence, and makes more attempts than an interruption has
    /// time for.
    static var retry: ServiceRetry {
        let retry = ServiceRetry(attempts: 20, maximumDelay: 1)
        return retry
    }

    @Test(.row("N1"), arguments: Way.all, BadNetwork.all)
    func requestsSucceed(way: Way, network: BadNetwork) async throws {
        struct Item: Decodable, Equatable { var id: Int }
        try await network.run("requests", way) { id in
            let provider = try way.provider(Self.retry)
            for group in 0..<5 {
                let items = try await withThrowingTaskGroup(of: Item.self) { tasks in
                    for number in group * 4..<group * 4 + 4 {
                        let call = network.service("/item/\(number)/\(id)").with { $0.timeout = 2 }
                        tasks.addTask {
                            try await provider.load(service: call, decodeType: Item.self)
                        }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(items.map(\.id)) == Set(group * 4..<group * 4 + 4))
            }
        }
    }

    /// An attempt that receives nothing for 2 seconds ends, and the next one continues the file.
    @Test(.row("N1"), arguments: Way.all, BadNetwork.all)
    func downloadsAreResumed(way: Way, network: BadNetwork) async throws {
        let folder = try TemporaryFolder()
        let requests = try await network.run("download", way) { id in
            let call = network.service("/file/\(network.size)/\(id)").with { $0.timeout = 2 }
            try await way.provider(Self.retry)
                .download(service: call, to: folder.file("file"), options: .resume)
        }
        #expect(try Data(contentsOf: folder.file("file")) == network.file())
        #expect(requests.dropFirst().allSatisfy { $0.isEmpty || $0.hasPrefix("bytes=") })
        if network.name == "outage" { #expect(requests.last?.hasPrefix("bytes=") == true) }
    }

    /// Without a shorter timeout, a transfer waits until the network is back.
    @Test(.row("N2"), arguments: Way.all, BadNetwork.all)
    func bodiesAreComplete(way: Way, network: BadNetwork) async throws {
        let requests = try await network.run("stream", way) { id in
            var body = Data()
            let call = network.service("/file/\(network.size)/\(id)")
            for try await chunk in try await way.provider().stream(service: call) { body += chunk }
            #expect(try body == network.file())
        }
        #expect(requests == [""])
    }

    @Test(.row("N3"), arguments: Way.all, BadNetwork.all)
    func uploadsAreCompleteAndSentOnce(way: Way, network: BadNetwork) async throws {
        let requests = try await network.run("upload", way) { id in
            let call = network.service("/\(network.size)/\(id)").with {
                $0.method = .post
                $0.body = .file(network.fileURL)
            }
            _ = try await way.provider(Self.retry).response(service: call)
        }
        #expect(requests == ["same"])
    }

    /// The server may have received the request, so it isn't sent again.
    @Test(.row("N3"), arguments: Way.all)
    func interruptedUploadsAreNotRepeated(way: Way) async throws {
        let network = BadNetwork(name: "outage")
        let requests = try await network.run("timed upload", way) { id in
            let call = network.service("/\(network.size)/\(id)").with {
                $0.method = .post
                $0.body = .file(network.fileURL)
                $0.timeout = 2
            }
            let isOver = try await way.provider(Self.retry).timesOut(call)
            #expect(isOver)
        }
        #expect(requests == ["incomplete"])
    }

    @Test(.row("N5"), arguments: Way.all)
    func cancellingEndsACallWithoutANetwork(way: Way) async throws {
        let network = BadNetwork(name: "outage")
        try await network.run("cancelled", way) { id in
            let provider = try way.provider(Self.retry)
            let call = network.service("/file/\(network.size)/\(id)")
            let task = Task { try await provider.failure(of: call) }
            while try await BadNetwork.lostPackets() < 3 {
                try await Task.sleep(for: .milliseconds(20))
            }
            let start = ProcessInfo.processInfo.systemUptime
            task.cancel()
            guard case .cancelled = try await task.value else { return #expect(Bool(false)) }
            #expect(ProcessInfo.processInfo.systemUptime - start < 1)
        }
    }

    @Test(.row("N4"), arguments: Way.all, BadNetwork.all)
    func eventStreamsReconnect(way: Way, network: BadNetwork) async throws {
        let requests = try await network.run("events", way) { id in
            let reconnection = ServiceReconnection(delay: 0.2, maximumDelay: 1)
            let call = network.service("/events/100/\(id)").with { $0.timeout = 2 }
            var numbers: [Int?] = []
            for try await event in try way.provider()
                .events(service: call, reconnecting: reconnection)
            {
                numbers.append(Int(event.data))
            }
            #expect(numbers == Array(1...100))
        }
        #expect(requests.count >= (network.name == "outage" ? 3 : 2))
    }

    /// The server sends a byte each 100 ms, so no timeout ends this call.
    @Test(.row("N5"), arguments: Way.all, BadNetwork.all)
    func deadlinesHold(way: Way, network: BadNetwork) async throws {
        try await network.run("deadline", way) { id in
            let start = ProcessInfo.processInfo.systemUptime
            let provider = try way.provider(ServiceDeadline(3), Self.retry)
            let isOver = try await provider.timesOut(network.service("/drip/600/\(id)"))
            #expect(isOver)
            let seconds = ProcessInfo.processInfo.systemUptime - start
            #expect(seconds > 2.9 && seconds < 6, "\(seconds) s")
        }
    }

    #if os(Linux)
    /// The server has a public address, in a namespace of its own.
    @Test(.row("R19")) func redirectsToPrivateAddressesAreRefused() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.allowsPrivateAddresses = false
        let provider = ServiceProvider<TestService>(transport: try CurlTransport(configuration))
        let network = BadNetwork(name: "good")
        #expect(try await provider.load(service: network.service("/item/5/a")).count > 0)
        for target in ["127.0.0.1", "localhost", "169.254.169.254", "[::1]", "0x7f.1"] {
            let failure = try await provider.failure(
                of: network.service("/redirect/\(target)/a"))
            guard case .transport(let error) = failure, error.code == .resourceUnavailable else {
                Issue.record("\(target): \(failure)")
                continue
            }
        }
    }
    #endif

    @Test(.row("N5"), arguments: Way.all, BadNetwork.all)
    func silentServersTimeOut(way: Way, network: BadNetwork) async throws {
        try await network.run("timeout", way) { id in
            let start = ProcessInfo.processInfo.systemUptime
            let call = network.service("/wait/30/\(id)").with { $0.timeout = 2 }
            let isOver = try await way.provider().timesOut(call)
            #expect(isOver)
            let seconds = ProcessInfo.processInfo.systemUptime - start
            #expect(seconds > 1.9 && seconds < 6, "\(seconds) s")
        }
    }
}

/// A network of `Tests/Servers/bad-network.py`.
struct BadNetwork: Sendable, CustomTestStringConvertible {
    static let isPresent = variable("NETWORK_SERVER") != nil
    static let hint: Comment = "Run .ci/check-networks, which makes the networks."
    private static let names =
        variable("NETWORKS") ?? "good,loss1,loss5,delay,modem,reordering,outage,train"
    static let all = names.split(separator: ",").map { BadNetwork(name: String($0)) }

    var name: String
    var testDescription: String { name }

    /// The size of files, in bytes.
    var size: Int { name == "modem" ? 32 << 10 : 1 << 20 }
    var fileURL: URL {
        URL(fileURLWithPath: Self.variable("NETWORK_FOLDER") ?? "")
            .appendingPathComponent("\(size)")
    }
    func file() throws -> Data { try Data(contentsOf: fileURL) }

    /// Runs calls over this network, and prints how long they took. Returns what the server logged.
    @discardableResult
    func run(_ kind: String, _ way: Way, calls: (_ id: String) async throws -> Void) async throws
        -> [String]
    {
        let id = UUID().uuidString
        _ = try await Self.control("/use/\(name)")
        let start = ProcessInfo.processInfo.systemUptime
        try await calls(id)
        let seconds = String(format: "%.1f s", ProcessInfo.processInfo.systemUptime - start)
        let lost = try await Self.lostPackets()
        _ = try await Self.control("/use/good")
        let requests = try await TransportUnderTest.ownSession.provider()
            .load(service: service("/log/\(id)"), decodeType: [String].self)
        let columns = [(kind, 16), ("\(way)", 12), (name, 11)]
            .map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
        let outcome = "\(seconds), \(requests.count) requests, \(lost) packets lost"
        print("network: \(columns.joined(separator: " ")) \(outcome)")
        return requests
    }

    func service(_ path: String) -> TestService {
        TestService(baseURL: Self.variable("NETWORK_SERVER") ?? "", path: path)
    }

    static func lostPackets() async throws -> Int { try await control("/packets")["lost"] ?? 0 }

    private static func control(_ path: String) async throws -> [String: Int] {
        let call = TestService(baseURL: variable("NETWORK_CONTROL") ?? "", path: path)
        return try await TransportUnderTest.ownSession.provider()
            .load(service: call, decodeType: [String: Int].self)
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }
}

extension ServiceProvider<TestService> {
    /// Whether a call fails because a time has passed.
    fileprivate func timesOut(_ call: TestService) async throws -> Bool {
        guard case .transport(let error) = try await failure(of: call) else { return false }
        return error.code == .timedOut
    }
}
