// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Builds requests from arbitrary services. Each request must match its service, or be refused.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct BuilderFuzz {
    private static let provider = ServiceProvider<TestService>()

    @Test func randomServicesBuildValidRequests() async throws {
        let samples = try FuzzSamples("requests.jsonl")
        try await Fuzz.run("BuilderFuzz", count: 3_000) { number, random in
            let input = FuzzCase(&random)
            try Self.check(input) { if number < 20_000 { try samples.add($0) } }
        }
    }

    private static func check(
        _ input: FuzzCase, _ add: (FuzzSamples.Sample) throws -> Void
    ) throws {
        let service = input.service
        func hold(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
            try require(condition, problem(), service.shown)
        }
        let request: ServiceRequest
        do {
            request = try provider.request(service: service)
        } catch {
            guard case ServiceError.invalidRequest = error else {
                return try hold(false, "an unexpected error: \(error)")
            }
            let text = "\(error) \(error.localizedDescription)"
            let isHidden = !text.contains(FuzzCase.secret) || isPlain(input)
            try hold(isHidden, "the error shows a secret: '\(text)'")
            return try hold(!input.isGood, "a valid service is refused: \(text)")
        }
        try hold(!input.isBad, "an invalid service is accepted")
        let url = request.urlRequest.url?.absoluteString ?? ""
        let query = try checkURL(url, input, hold)
        try checkHead(request, service, hold)
        let pairs = Self.pairs(input.members ?? [:], input.order)
        let body = request.urlRequest.httpBody ?? Data()
        let text = String(decoding: body, as: UTF8.self)[...]
        let isJSON = service.body == nil && !body.isEmpty && body.first == UInt8(ascii: "{")
        let isForm = service.body == nil && !body.isEmpty && !isJSON
        // Foundation on Linux drops U+FEFF when it reads JSON.
        if isJSON, !text.unicodeScalars.contains("\u{FEFF}") {
            let json = try JSONSerialization.jsonObject(with: body) as? [String: String]
            let read = json.map { Self.pairs($0, input.order) }
            try hold(read == pairs, "the JSON is \(text)")
        } else if isForm {
            try hold(FuzzPair.pairs(in: text) == pairs, "the form is \(text)")
        }
        let inQuery = isJSON || isForm ? [] : pairs
        try hold(FuzzPair.pairs(in: query) == inQuery, "the query is \(query), expected \(inQuery)")
        let shown = "\(request) \(request.curl())"
        let isHidden = !shown.contains(FuzzCase.secret) || isPlain(input)
        try hold(isHidden, "the description shows a secret: \(shown)")
        try add(
            FuzzSamples.Sample(
                service, url: url, query: inQuery, form: isForm ? pairs : nil, isJSON: isJSON, body)
        )
    }

    /// Whether corrupting the base URL moved the secret out of the user info, to a place where it
    /// can't be recognized as one.
    private static func isPlain(_ input: FuzzCase) -> Bool {
        let base = FuzzAddress(input.service.baseURL)
        let rest = base.scheme + base.place + base.path + (base.query ?? "")
        return input.hasHostileBase && rest.contains(FuzzCase.secret)
    }

    /// - Returns: The part of the query that the parameters added.
    private static func checkURL(
        _ url: String, _ input: FuzzCase, _ hold: (Bool, @autoclosure () -> String) throws -> Void
    ) throws -> Substring {
        try hold(
            url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the URL is \(url.debugDescription)")
        let (base, built) = (FuzzAddress(input.service.baseURL), FuzzAddress(url))
        let isSame =
            base.scheme == built.scheme && base.host == built.host
            && base.port == built.port && base.user == built.user
        try hold(isSame, "the URL is \(url)")
        try hold(
            ["http", "https"].contains(built.scheme) && !built.host.isEmpty, "the URL is \(url)")
        let parsed = URL(string: url)
        try hold(parsed?.port == base.port, "Foundation reads a different port in \(url)")
        let host = FuzzPair.decoded(base.host.utf8.filter { !"[]".utf8.contains($0) })
        // Foundation on Linux leaves out a byte order mark at the start of a host.
        let mark = Array("\u{FEFF}".utf8)
        let isMarked = host?.starts(with: mark) == true
        let isHost = parsed?.host.map { (isMarked ? mark : []) + Array($0.utf8) } == host
        try hold(isHost, "Foundation reads a different host in \(url)")
        // The path: base and path are joined with one slash, and otherwise unchanged.
        var (start, rest) = (Array(base.path.utf8), Array(built.path.utf8))
        let path = input.service.joinedPath
        if !path.isEmpty, start.last == UInt8(ascii: "/") { start.removeLast() }
        try hold(rest.starts(with: start), "the URL is \(url)")
        rest.removeFirst(start.count)
        try hold(FuzzPair.decoded(rest) == path, "the URL is \(url)")
        // The query: the base URL's own, then the parameters.
        var query = (built.query ?? "")[...]
        let before = base.query ?? ""
        try hold(query.hasPrefix(before), "the URL is \(url)")
        query = query.dropFirst(before.count)
        guard !before.isEmpty, !query.isEmpty else { return query }
        try hold(query.first == "&", "the URL is \(url)")
        return query.dropFirst()
    }

    private static func checkHead(
        _ request: ServiceRequest, _ service: TestService,
        _ hold: (Bool, @autoclosure () -> String) throws -> Void
    ) throws {
        try hold(
            request.urlRequest.httpMethod == service.method.rawValue, "the method is different")
        let fields = request.urlRequest.allHTTPHeaderFields ?? [:]
        for (name, value) in fields {
            let isLine = (name + value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            try hold(
                isLine && !name.isEmpty,
                "the header \(name.debugDescription) is empty or has a control character")
            try hold(
                name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A },
                "\(name.debugDescription) isn't a valid name")
        }
        let blank = CharacterSet(charactersIn: " \t")
        for (name, value) in service.headers {
            let sent = request.urlRequest.value(forHTTPHeaderField: name)
            let isSame = sent?.trimmingCharacters(in: blank) == value.trimmingCharacters(in: blank)
            try hold(isSame, "'\(name)' is \(sent.debugDescription)")
        }
    }

    private static func pairs(
        _ members: [String: String], _ order: [String]
    ) -> [FuzzPair] {
        let first = order.reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let others = members.keys.sorted().filter { !first.contains($0) }
        return (first + others).compactMap { name in
            members[name].map { FuzzPair(name, $0) }
        }
    }
}
