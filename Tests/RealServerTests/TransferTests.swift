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

extension RealServerTests {
    @Suite(.serialized, .opensFiles, .timeLimit) struct Streams {
        @Test(arguments: Way.all) func chunksAreStreamed(way: Way) async throws {
            let provider = try way.provider()
            let whole = try Data(contentsOf: Servers.folder.appendingPathComponent("html/8m"))
            var all = Data()
            let file = TestService("/8m").with { $0.baseURL = Servers.nginx }
            for try await chunk in try await provider.stream(service: file) { all += chunk }
            #expect(all == whole)
            all = Data()
            let chunked = TestService("/stream-bytes/100000")
            for try await chunk in try await provider.stream(service: chunked) { all += chunk }
            #expect(all.count == 100_000)
        }
    }

    @Suite(.serialized, .opensFiles, .timeLimit) struct Files {
        /// An interrupted download continues at the same byte, if the file on the server is
        /// unchanged.
        @Test(arguments: Way.all) func interruptedDownloadsAreResumed(way: Way) async throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("8m")
            let provider = try way.provider()
            // nginx limits this path to 1 MB per second.
            let slow = TestService("/slow/8m").with { $0.baseURL = Servers.nginx }
            let arrived = Milestones()
            let broken = Task {
                try await provider.onProgress { if $0.received > 100_000 { arrived.pass() } }
                    .download(service: slow, to: file, options: .resume)
            }
            await arrived.reach(1)
            broken.cancel()
            await #expect(throws: ServiceError.self) { try await broken.value }
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let response = try await provider.download(service: slow, to: file, options: .resume)
            #expect(response.statusCode == 206)
            let original = try Data(contentsOf: Servers.folder.appendingPathComponent("html/8m"))
            #expect(try Data(contentsOf: file) == original)
        }

        @Test(arguments: Way.all) func fiftyMegabytesAreUploaded(way: Way) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(noise(50 << 20), to: "up.bin")
            let provider = try way.provider()
            let call = TestService("/put/\(way).bin").with {
                $0.baseURL = Servers.nginx
                $0.method = .put
                $0.body = .file(file)
            }
            let response = try await provider.response(service: call)
            #expect(response.statusCode == 201)
            let arrived = Servers.folder.appendingPathComponent("put/\(way).bin")
            #expect(try Data(contentsOf: arrived) == Data(contentsOf: file))
            let delete = call.with {
                $0.method = .delete
                $0.body = nil
            }
            #expect(try await provider.response(service: delete).statusCode == 204)
        }

        @Test(arguments: Way.all) func multipartFormsArrive(way: Way) async throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("ü \"quoted\".txt")
            try Data("file's own".utf8).write(to: file)
            let call = TestService("/post").with {
                $0.method = .post
                $0.body = .multipart([
                    .text("Grüße; a=\"b\"\r\nc", name: "text"), .text("1", name: "list"),
                    .text("2", name: "list"), .file(file, name: "file"),
                    .data(Data("raw".utf8), name: "data", fileName: "a;b.bin"),
                    .json(["a": 1], name: "json"),
                ])
            }
            let echo = try await way.provider().echo(call)
            #expect(
                echo.form == [
                    "text": "Grüße; a=\"b\"\r\nc", "list": ["1", "2"], "json": #"{"a":1}"#,
                ])
            #expect(echo.files == ["file": "file's own", "data": "raw"])
        }
    }

    #if os(Linux)
    /// Runs only on CurlTransport: URLSession on Linux can't use custom certificate authorities,
    /// and a trailer ends its process.
    @Suite(.serialized, .opensFiles, .timeLimit) struct OverTLS {
        private func provider() throws -> ServiceProvider<TestService> {
            var configuration = CurlTransport.Configuration()
            configuration.certificateAuthorities = Servers.folder.appendingPathComponent("ca.pem")
            return ServiceProvider(transport: try CurlTransport(configuration))
        }

        @Test func callsOverTLSSucceed() async throws {
            let call = TestService("/httpbin/anything").with {
                $0.baseURL = Servers.nginxTLS
                $0.method = .post
                $0.body = .json(["a": 1])
            }
            #expect(try await provider().echo(call).data == #"{"a":1}"#)
        }

        @Test func trailersAreAccepted() async throws {
            for base in [Servers.nginx, Servers.nginxTLS] {
                let call = TestService("/trailer/stream/3").with { $0.baseURL = base }
                let response = try await provider().response(service: call)
                #expect(response.data.split(separator: UInt8(ascii: "\n")).count == 3)
            }
        }

        @Test func unknownAuthoritiesAreRejected() async throws {
            let call = TestService("/page1").with { $0.baseURL = Servers.nginxTLS }
            for way in Way.all {
                guard case .transport(let error) = try await way.provider().failure(of: call) else {
                    return #expect(Bool(false))
                }
                #expect(way == .urlSession || error.code == .serverCertificateHasUnknownRoot)
            }
        }
    }
    #endif
}
