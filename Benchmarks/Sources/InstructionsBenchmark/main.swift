// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Does one kind of work some times, for `Benchmarks/instructions`, which counts the instructions:
//   InstructionsBenchmark WORK COUNT [URL]

import CurlInC
import CurlTransport
import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Endpoint: Service, Sendable {
    var baseURL = "https://api.example.com/v1/characters"
    var method = ServiceMethod.get
    var isForm = false
    var fields = 0

    var path: String { "" }
    var parameterEncoding: ServiceParameterEncoding {
        isForm ? ServiceParameterEncoding(destination: .form) : ServiceParameterEncoding()
    }
    var parameters: [String: Any]? {
        if fields == 0 { return nil }
        let all: [String: Any] = [
            "name": "spider man + friends", "limit": 20, "active": true, "orderBy": "-modified",
            "series": ["one", "two", "three"], "city": "New York & Queens", "offset": 40,
            "heroes": false, "since": "2014-04-29", "page": 7,
        ]
        return all.filter { fields == 10 || Self.few.contains($0.key) }
    }
    private static let few = ["name", "limit", "active", "orderBy", "series"]
}

/// Returns the same response to each request.
struct FixedTransport: ServiceTransport {
    var isMeasured = false
    let data = Data(count: 2_000)

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        var response = ServiceResponse(request: request, statusCode: 200, data: data)
        if isMeasured { response.metrics = [ServiceMetrics()] }
        return response
    }
}

/// An option of a request. Each type makes it another one.
enum Option<Name>: ServiceRequestOption {
    static var defaultValue: Int { 0 }
}

/// Sets options, and reads them.
struct Setting: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request[Option<Int>.self] = 1
        request[Option<Int8>.self] = 2
        request[Option<Int16>.self] = 3
        request[Option<Int32>.self] = 4
        request[Option<Int64>.self] = 5
        let sum =
            request[Option<Int>.self] + request[Option<Int8>.self] + request[Option<Int16>.self]
            + request[Option<Int32>.self] + request[Option<Int64>.self]
        guard sum == 15 else { exit(1) }
        return try await next(request)
    }
}

/// An interceptor without effect.
struct Passing: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        try await next(request)
    }
}

func build(_ endpoint: Endpoint, _ count: Int) throws {
    let provider = ServiceProvider<Endpoint>()
    for _ in 0..<count { _ = try provider.request(service: endpoint) }
}

func intercept(_ interceptors: Int, _ count: Int) async throws {
    try await call(FixedTransport(), (0..<interceptors).map { _ in Passing() }, count)
}

func call(
    _ transport: FixedTransport, _ interceptors: [any ServiceInterceptor], _ count: Int
) async throws {
    let provider = ServiceProvider<Endpoint>(transport: transport, interceptors: interceptors)
    for _ in 0..<count { _ = try await provider.load(service: Endpoint()) }
}

func load(
    _ count: Int, _ inFlight: Int, _ one: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<inFlight {
            group.addTask {
                for _ in stride(from: worker, to: count, by: inFlight) { try await one() }
            }
        }
        try await group.waitForAll()
    }
}

@Sendable func work(_ name: String, _ count: Int, _ url: String) async throws {
    let inFlight = name.hasSuffix("32") ? 32 : 1
    switch name {
    case "query": try build(Endpoint(fields: 5), count)
    case "form": try build(Endpoint(method: .post, isForm: true, fields: 10), count)
    case "json": try build(Endpoint(method: .post, fields: 10), count)
    case "interceptors-0": try await intercept(0, count)
    case "interceptors-1": try await intercept(1, count)
    case "interceptors-5": try await intercept(5, count)
    case "interceptors-10": try await intercept(10, count)
    case "options-5": try await call(FixedTransport(), [Setting()], count)
    case "metrics": try await call(FixedTransport(isMeasured: true), [], count)
    #if os(Linux)
    case "curl-in-c-1", "curl-in-c-32":
        let bytes = curl_in_c_run(curl_in_c_make(nil), url, count, inFlight)
        guard bytes > 0 else { exit(1) }
    case "transport-1", "transport-32":
        let transport = try CurlTransport()
        guard let target = URL(string: url) else { exit(2) }
        let request = ServiceRequest(URLRequest(url: target))
        try await load(count, inFlight) {
            guard try await transport.send(request).data.count > 0 else { exit(1) }
        }
    case "provider-1", "provider-32":
        let provider = ServiceProvider<Endpoint>(transport: try CurlTransport())
        try await load(count, inFlight) {
            guard try await provider.load(service: Endpoint(baseURL: url)).count > 0 else {
                exit(1)
            }
        }
    #endif
    default: exit(2)
    }
}

let words = CommandLine.arguments
guard words.count > 2, let count = Int(words[2]) else { exit(2) }
let url = words.count > 3 ? words[3] : ""
Task.detached {
    try await work(words[1], count, url)
    exit(0)
}
// Callgrind crashes if the main thread ends, as it does after an await at the top level.
while true { sleep(1_000) }
