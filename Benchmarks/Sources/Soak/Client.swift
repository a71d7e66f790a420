// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CurlTransport
import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTransfers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes calls like an app, with a typical list of interceptors.
struct Client: Sendable {
    struct Value: Decodable { let id: Int }
    struct Page: Decodable { let page, id: Int }

    let isCurl: Bool
    let addresses: Addresses
    let folder: URL
    let upload: URL
    let provider: ServiceProvider<SoakService>
    /// For bad networks.
    let patient: ServiceProvider<SoakService>

    init(curl isCurl: Bool, _ addresses: Addresses, _ folder: URL) throws {
        (self.isCurl, self.addresses) = (isCurl, addresses)
        self.folder = folder.appendingPathComponent("down")
        upload = folder.appendingPathComponent("upload")
        let transport = try Self.transport(curl: isCurl)
        let logins = ServiceProvider<SoakService>(transport: transport)
        let authenticator = ServiceAuthenticator<String>(token: nil) {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            let login = SoakService(baseURL: addresses.server, path: "/token", method: .post)
            return String(decoding: try await logins.load(service: login), as: UTF8.self)
        }
        let retry = ServiceRetry(delay: 0.01)
        provider = ServiceProvider(
            transport: transport,
            interceptors: [
                ServiceDeadline(60), ServiceLog(.headers) { _ in }, retry, authenticator,
                ServiceCache(maximumMemorySize: 50_000),
            ])
        let persistent = ServiceRetry(attempts: 20, maximumDelay: 1)
        patient = ServiceProvider(
            transport: transport, interceptors: [ServiceDeadline(60), persistent])
    }

    static func transport(curl isCurl: Bool) throws -> any ServiceTransport {
        if isCurl {
            var settings = CurlTransport.Configuration()
            settings.library = Faults.library ?? settings.library
            settings.certificateAuthorities = Faults.authority
            return try CurlTransport(configuration: settings)
        }
        let configuration = URLSessionConfiguration.ephemeral
        // Otherwise requests that never end would block others, and the timeouts of those run while they wait.
        configuration.httpMaximumConnectionsPerHost = 128
        return URLSessionTransport(configuration: configuration)
    }

    func service(_ kind: Kind, _ id: Int, _ method: ServiceMethod = .get) -> SoakService {
        let isRaw = [.twice, .garbage, .endless].contains(kind)
        return SoakService(
            baseURL: isRaw ? addresses.raw : addresses.server,
            path: "/\(kind.rawValue)/\(id)", method: method)
    }

    /// Starts a call with a handler. `end` is called each time the handler is called.
    func start(
        _ kind: Kind, _ id: Int, _ end: @escaping @MainActor @Sendable (Outcome) -> Void
    ) -> Task<Void, Never> {
        let service = service(kind, id)
        guard kind == .valueHandler else {
            return provider.load(service: service) { result in
                end(Outcome(result) { isBody($0, of: service) })
            }
        }
        return provider.load(service: service, decodeType: Value.self) { result in
            end(Outcome(result) { $0.id == id })
        }
    }

    /// Makes an async call, and returns its outcome.
    func outcome(_ kind: Kind, _ id: Int) async -> Outcome {
        do {
            let outcome = try await run(kind, id)
            return outcome ?? .other("a wrong response")
        } catch {
            return Outcome(error)
        }
    }

    func isBody(_ data: Data, of service: SoakService) -> Bool {
        data == Data(SoakServer.body(service.path.dropFirst()).utf8)
    }

    /// Makes an async call. Returns nil for a wrong response.
    private func run(_ kind: Kind, _ id: Int) async throws -> Outcome? {
        var service = service(kind, id)
        switch kind {
        case .value:
            let value = try await provider.load(service: service, decodeType: Value.self)
            return value.id == id ? .value : nil
        case .empty:
            return try await provider.load(service: service).isEmpty ? .empty : nil
        case .gzip:
            let data = try await provider.load(service: service)
            return data == Data(repeating: 0x61, count: 20_000) ? .value : nil
        case .shared, .conditional: service = self.service(kind, id % 8)
        case .head:
            service.method = .head
            return try await provider.load(service: service).isEmpty ? .value : nil
        case .refused: service = SoakService(baseURL: "http://127.0.0.1:1", path: "/")
        case .never, .stalled:
            (service.method, service.timeout) = (.post, 1)
        case .deadline:
            service.method = .post
            _ = try await provider.wrapped(in: ServiceDeadline(0.1)).load(service: service)
            return nil
        case .redirect, .foreign:
            let data = try await provider.load(service: service)
            let name = kind == .redirect ? "hop" : kind.rawValue
            return data == Data(SoakServer.body("\(name)/\(id)").utf8) ? .value : nil
        case .moved, .upload, .file, .multipart: return try await send(kind, service)
        case .download, .cutDownload, .resume: return try await download(kind, service, id)
        case .events, .eventsLeft, .stream, .streamLeft: return try await read(kind, service)
        case .pages:
            let pages = provider.pages(service: service, decodeType: Page.self) { page, _ in
                var next = service
                next.page = page.page + 1
                return page.page < 3 ? next : nil
            }
            var numbers: [Int] = []
            for try await page in pages where page.id == id { numbers.append(page.page) }
            return numbers == [0, 1, 2, 3] ? .value : nil
        case _ where Kind.http2.contains(kind): return try await multiplex(kind, id)
        case _ where Kind.overNetwork.contains(kind): return try await reach(kind, id)
        case .transport:
            let transport = try Self.transport(curl: isCurl)
            let data = try await ServiceProvider(transport: transport).load(service: service)
            return isBody(data, of: service) ? .value : nil
        default: break
        }
        return isBody(try await provider.load(service: service), of: service) ? .value : nil
    }

    /// Calls the HTTP/2 server. The first part of the path names its response.
    private func multiplex(_ kind: Kind, _ id: Int) async throws -> Outcome? {
        let name =
            switch kind {
            case .resetStream: "reset-in-body-internal"
            case .refusedStream: "refused-once"
            case .goAway: "goaway-and-finish"
            case .silent: "silence"
            default: "ok"
            }
        // Connections of their own for GOAWAY, because it refuses the later calls on its connection too.
        let host = kind == .goAway ? "localhost" : "127.0.0.1"
        let server = (Faults.http2 ?? "").replacingOccurrences(of: "127.0.0.1", with: host)
        var service = SoakService(baseURL: server, path: "/\(name)/\(UUID().uuidString)")
        if kind == .silent { service.timeout = 1 }
        let text = String(decoding: try await provider.load(service: service), as: UTF8.self)
        return text == (kind == .refusedStream ? "0" : "hello") ? .value : nil
    }

    /// Calls the server behind the bad network.
    private func reach(_ kind: Kind, _ id: Int) async throws -> Outcome? {
        let name = UUID().uuidString
        var service = SoakService(
            baseURL: Faults.far ?? "", path: "/item/\(id)/\(name)", timeout: 5)
        guard let file = Faults.file else { return nil }
        switch kind {
        case .farFile:
            service.path = "/file/32768/\(name)"
            let target = folder.appendingPathComponent(name)
            defer {
                unlink(target.path)
                removeState(of: target)
            }
            try await patient.download(service: service, to: target, options: .resume)
            return try Data(contentsOf: target) == Data(contentsOf: file) ? .value : nil
        case .farUpload:
            (service.path, service.method, service.content) = ("/32768/\(name)", .put, .file(file))
            return try await patient.load(service: service).isEmpty ? .value : nil
        case .farEvents:
            service.path = "/events/20/\(name)"
            let reconnection = ServiceReconnection(delay: 0.2, maximumDelay: 1)
            var numbers: [Int?] = []
            for try await event in try patient.events(service: service, reconnecting: reconnection)
            {
                numbers.append(Int(event.data))
            }
            return numbers == Array(1...20) ? .value : nil
        default:
            let value = try await patient.load(service: service, decodeType: Value.self)
            return value.id == id ? .value : nil
        }
    }

    private func isPattern(_ data: Data) -> Bool {
        data.count == SoakServer.size && data.starts(with: SoakServer.pattern)
            && data.suffix(10) == SoakServer.pattern
    }

    private func send(_ kind: Kind, _ service: SoakService) async throws -> Outcome? {
        var service = service
        service.method = kind == .file ? .put : .post
        service.content =
            switch kind {
            case .file: .file(upload)
            case .multipart: .multipart(upload)
            default: .data(Data(repeating: 0x62, count: SoakServer.size))
            }
        let response = String(decoding: try await provider.load(service: service), as: UTF8.self)
        let count = Int(response) ?? 0
        let isWhole = kind == .multipart ? count > SoakServer.size : count == SoakServer.size
        return isWhole ? .value : nil
    }

    /// A failed download keeps these files, to be resumed.
    private func removeState(of target: URL) {
        for end in ["part", "part.etag"] {
            unlink("\(folder.path)/.\(target.lastPathComponent).\(end)")
        }
    }

    private func download(_ kind: Kind, _ service: SoakService, _ id: Int) async throws -> Outcome?
    {
        let target = folder.appendingPathComponent("\(id)")
        defer { unlink(target.path) }
        if kind == .resume {
            defer { removeState(of: target) }
            // The first response is cut off. A retry continues it, or else the next call does.
            let rest: ServiceResponse
            do {
                rest = try await provider.download(service: service, to: target, options: .resume)
            } catch ServiceError.transport {
                rest = try await provider.download(service: service, to: target, options: .resume)
            }
            guard rest.statusCode == 206 else { return nil }
            return isPattern(try Data(contentsOf: target)) ? .value : nil
        }
        try await provider.download(service: service, to: target)
        return isPattern(try Data(contentsOf: target)) ? .value : nil
    }

    private func read(_ kind: Kind, _ service: SoakService) async throws -> Outcome? {
        var count = 0
        switch kind {
        case .events, .eventsLeft:
            for try await event in try provider.events(service: service) {
                count += event.data == "hello" ? 1 : 0
                if kind == .eventsLeft, count == 3 { break }
            }
            return count == (kind == .events ? SoakServer.events : 3) ? .value : nil
        default:
            let stream = try await provider.stream(service: service)
            // Nothing reads this stream.
            if kind == .streamLeft { return .value }
            for try await chunk in stream { count += chunk.count }
            return count == SoakServer.size ? .value : nil
        }
    }
}
