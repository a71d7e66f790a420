// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CurlTransport
import Foundation
import ServiceProvider

/// The transport, the sizes and the folder of a probe.
struct Setting: Sendable {
    enum Transport: String, CaseIterable {
        case urlSession = "urlsession"
        #if os(Linux)
        case curl
        #endif

        var title: String {
            switch self {
            case .urlSession: "URLSession"
            #if os(Linux)
            case .curl: "libcurl"
            #endif
            }
        }

        func make() throws -> any ServiceTransport {
            switch self {
            // As in an app: with its cookies and its cache.
            case .urlSession: URLSessionTransport(configuration: .default)
            #if os(Linux)
            case .curl: try CurlTransport()
            #endif
            }
        }
    }

    let transport: Transport
    /// Whether to use smaller sizes.
    let isQuick: Bool
    /// An empty folder, which is removed afterwards.
    let folder: URL

    /// Whether this is URLSession on Apple's systems.
    var isApple: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// Whether this is URLSession on Linux. Its differences are documented.
    var isLinuxSession: Bool { transport == .urlSession && !isApple }

    func provider() throws -> ServiceProvider<Endpoint> {
        ServiceProvider(transport: try transport.make())
    }

    /// Creates a file of zeros that takes no space on the disk.
    func sparseFile(_ name: String, size: Int) throws -> URL {
        let file = folder.appendingPathComponent(name)
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        return file
    }
}

/// An endpoint of a probe's server.
struct Endpoint: Service {
    var baseURL: String
    var path = "/"
    var method = ServiceMethod.get
    var body: ServiceBody?
    var timeout: TimeInterval?
    var cachePolicy: URLRequest.CachePolicy?

    func prepare(_ request: inout ServiceRequest) throws {
        if let cachePolicy { request.urlRequest.cachePolicy = cachePolicy }
    }
}
