// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import LoopbackServer
import Moya
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Status codes, stubs, downloads and wrappers.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaProviderTests {
    // MARK: - Status codes

    @Test(arguments: wires)
    func validationRefusesOtherStatusCodes(wire: TransportUnderTest) async throws {
        let cases: [(Account, Int, Bool)] = [
            (.me, 204, true), (.me, 304, false), (.me, 500, false), (.session, 304, true),
            (.session, 400, false), (.list(codes: [201, 418]), 418, true),
            (.list(codes: [201, 418]), 200, false),
        ]
        for (target, status, isValid) in cases {
            let server = try LoopbackServer(responses: [.statusCode(status)])
            try await server.serve { () async throws in
                let provider = MoyaProvider<Account>(transport: wire.make())
                let (result, isMain) = await provider.result(of: target)
                #expect(isMain)
                switch result {
                case .success(let response):
                    #expect(isValid)
                    #expect(response.statusCode == status)
                case .failure(.underlying(let error, let response)):
                    #expect(!isValid)
                    #expect(error.asAFError?.responseCode == status)
                    #expect(response?.statusCode == status)
                case .failure(let error): Issue.record(error)
                }
            }
        }
    }

    @Test(arguments: wires)
    func redirectsAreFollowedWhateverTheValidationSays(wire: TransportUnderTest) async throws {
        for target in [Account.settings, .session, .list(codes: [200, 302])] {
            let server = try LoopbackServer(responses: [
                .redirect(to: "/there", statusCode: 302), .text("there"),
            ])
            try await server.serve { () async throws in
                let response = try await MoyaProvider<Account>(transport: wire.make())
                    .request(target)
                #expect(try response.mapString() == "there")
            }
        }
    }

    @Test func withoutCodesEveryStatusIsASuccess() async throws {
        for status in [100, 200, 304, 404, 600, 999] {
            let stub = ServiceStubs { _ in .statusCode(status) }
            let provider = MoyaProvider<Account>(interceptors: [stub])
            for target in [Account.settings, .list(codes: [])] {
                let (result, _) = await provider.result(of: target)
                #expect(try result.get().statusCode == status)
                #expect(try await provider.request(target).statusCode == status)
            }
            await #expect(throws: MoyaError.self) {
                try await provider.request(.list(codes: [201]))
            }
        }
    }

    // MARK: - Stubs

    @Test func immediateStubsCallTheHandlerAtOnce() throws {
        let provider = MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub)
        var text: String?
        provider.request(.book(id: 3)) { text = try? $0.get().mapString() }
        #expect(text == #"{"id": 3, "title": "Dune"}"#)
    }

    @Test func immediateStubsAreValidated() throws {
        let plugin = HeaderPlugin()
        let provider = MoyaProvider<Account>(
            stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
        var status: Int?
        provider.request(.list(codes: [201])) { result in
            if case .failure(let error) = result { status = error.response?.statusCode }
        }
        #expect(status == 200)
        #expect(plugin.received == [200])
    }

    @Test func stubsAreUsedByAllVariants() async throws {
        for stub in [MoyaProvider.immediatelyStub, MoyaProvider.delayedStub(0.01)]
            as [(MultiTarget) -> StubBehavior]
        {
            let provider = MoyaProvider<MultiTarget>(stubClosure: stub)
            let target = MultiTarget(Stations())
            let response = try await provider.request(target)
            #expect(try response.map([String].self, atKeyPath: "data.stations") == ["A", "B"])
            let queue = DispatchQueue(label: "handlers")
            let (result, isMain) = await provider.result(of: target, queue: queue)
            #expect(try result.get().data == response.data)
            #expect(!isMain)
            // The sample data doesn't go to a file.
            let file = URL(fileURLWithPath: "/no/folder/file")
            let download = try await provider.request(MultiTarget(Media.picture(id: 1, to: file)))
            #expect(download.data.isEmpty)
        }
    }

    @Test func theStubClosureDecidesForEachTarget() async throws {
        let server = try LoopbackServer { _ in .text("server") }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(stubClosure: { target in
                if case .book = target { return .immediate }
                return .never
            })
            #expect(try await provider.request(.book(id: 1)).mapString().contains("Dune"))
            #expect(try await provider.request(.home).mapString() == "server")
        }
    }

    // MARK: - Downloads

    @Test(arguments: wires)
    func downloadsGoToTheirDestination(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { .text($0.target) }
        let folder = try TemporaryFolder()
        try await server.serve { () async throws in
            let provider = MoyaProvider<Media>(transport: wire.make())
            let nested = folder.file("new/folder/a.png")
            for _ in 0..<2 {
                let response = try await provider.request(.picture(id: 4, to: nested))
                #expect(response.statusCode == 200)
                #expect(response.data.isEmpty)
            }
            #expect(try String(contentsOf: nested, encoding: .utf8) == "/api/pictures/4")
            let report = Media.report(year: 2026, isDraft: false, to: folder.file("r"))
            #expect(try await provider.request(report).statusCode == 200)
            #expect(folder.text(of: "r") == "/api/report?draft=0&year=2026")
            // Without options, a file isn't replaced.
            await #expect(throws: MoyaError.self) { try await provider.request(report) }
            _ = try await provider.request(.lost(to: folder.file("lost")))
            #expect(folder.text(of: "lost.200") == "/api/lost")
        }
    }

    @Test(arguments: [302, 600])
    func aDownloadWithoutAFileIsAFailure(status: Int) async throws {
        let folder = try TemporaryFolder()
        let provider = MoyaProvider<Media>(interceptors: [ServiceStubs { _ in .statusCode(status) }]
        )
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(.picture(id: 1, to: folder.file("a")))
        }
        #expect(error?.response?.statusCode == status)
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: wires)
    func aFailedDownloadWritesNoFile(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("gone", statusCode: 404) }
        let folder = try TemporaryFolder()
        try await server.serve { () async throws in
            let provider = MoyaProvider<Media>(transport: wire.make())
            let error = await #expect(throws: MoyaError.self) {
                try await provider.request(.lost(to: folder.file("lost")))
            }
            #expect(error?.response?.data == Data("gone".utf8))
            #expect(folder.names.isEmpty)
        }
    }

    // MARK: - Wrappers

    @Test func wrappersAndModelsWork() async throws {
        let server = try LoopbackServer { _ in .json(#"{"data": ["a", "b"]}"#) }
        try await server.serve { () async throws in
            let network = Network<Account>(plugins: [HeaderPlugin()])
            let values: [String] = try await withCheckedThrowingContinuation { continuation in
                network.load(.settings, as: [String].self) { continuation.resume(with: $0) }
            }
            #expect(values == ["a", "b"])
            let request = try #require(server.requests.first)
            #expect(request.header("Authorization") == "Bearer t0k3n")
            #expect(request.header("X-App-Version") == "7")
        }
    }

    @Test(arguments: wires)
    func interceptorsOfServiceProviderRun(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.statusCode(503), .text("again")])
        try await server.serve { () async throws in
            var retry = ServiceRetry()
            retry.clock.sleep = { _ in }
            // `.none` accepts 503, and it is retried all the same.
            let provider = MoyaProvider<Bookshop>(transport: wire.make(), interceptors: [retry])
            #expect(try await provider.request(.home).mapString() == "again")
        }
    }
}
