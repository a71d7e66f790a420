// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A mock of the Marvel API, which was retired in 2025.
///
/// It checks keys, hash and parameters as the real API did, and responds from a small table. It
/// opens no socket and keeps no state: the same request always gets the same response.
struct MarvelGateway: Sendable {
    /// A response of the mock API.
    struct Answer: Sendable {
        /// The HTTP status.
        var status: Int
        /// The header fields, without those of the connection.
        var headers: [(name: String, value: String)]
        /// The body: a PNG for pictures, JSON otherwise.
        var body: Data
    }

    /// The key pair of the only user.
    let publicKey, privateKey: String

    /// The host that had Marvel's pictures.
    static let pictureHost = "i.annihil.us"

    /// Responds to one request.
    ///
    /// - Parameters:
    ///   - method: The method, such as GET.
    ///   - target: The request target: the text between method and version in the request line.
    ///   - host: The host of the picture URLs, usually this server. Default: Marvel's host.
    func answer(method: String, target: String, host: String = pictureHost) -> Answer {
        guard method == "GET" else {
            var answer = Self.answer(.method(method))
            answer.headers.append(("Allow", "GET"))
            return answer
        }
        do throws(GatewayFailure) {
            let target = GatewayTarget(target)
            if let picture = GatewayPicture.all[target.path] { return Self.answer(picture) }
            return try Self.answer(page(for: target, host: host))
        } catch {
            return Self.answer(error)
        }
    }

    /// The response to a client that sends too many requests.
    var refusal: Answer { Self.answer(.throttled) }

    // MARK: - Answering

    /// Checks the path first, then the keys, then the parameters.
    private func page(
        for target: GatewayTarget, host: String
    ) throws(GatewayFailure) -> GatewayPage {
        let parts = target.path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.starts(with: ["v1", "public", "characters"]), parts.count <= 4 else {
            throw .path(target.path)
        }
        try authorize(target)
        let parameters = target.query.filter { !["ts", "apikey", "hash"].contains($0.name) }
        guard let id = parts.dropFirst(3).first else {
            let query = try GatewayQuery(parameters)
            return GatewayPage(
                of: query.select(from: GatewayCharacter.all), offset: query.offset,
                limit: query.limit, publicKey: publicKey, host: host)
        }
        if let unknown = parameters.first { throw .unknownParameter(unknown.name) }
        guard let character = GatewayCharacter.all.first(where: { String($0.id) == id }) else {
            throw .unknownCharacter
        }
        // The real API also returned a limit of 20 for a single character.
        return GatewayPage(
            of: [character], offset: 0, limit: 20, publicKey: publicKey, host: host)
    }

    /// Checks the keys and the hash. An empty parameter counts as missing.
    private func authorize(_ target: GatewayTarget) throws(GatewayFailure) {
        guard let key = target.value("apikey"), !key.isEmpty else { throw .missingKey }
        guard let timestamp = target.value("ts"), !timestamp.isEmpty else {
            throw .missingTimestamp
        }
        guard let hash = target.value("hash"), !hash.isEmpty else { throw .missingHash }
        guard key == publicKey else { throw .unknownKey }
        guard hash == MD5.hexDigest((timestamp + privateKey + publicKey).utf8) else {
            throw .wrongHash
        }
    }

    // MARK: - Encoding

    private static func answer(_ page: GatewayPage) -> Answer {
        do {
            let etag = etag(of: try encode(page))
            let body = try encode(GatewayReply(etag: etag, data: page))
            // The real API didn't quote the ETag, although RFC 9110 requires it.
            return Answer(status: 200, headers: [contentType, ("ETag", etag)], body: body)
        } catch {
            return brokenAnswer
        }
    }

    /// The response with a picture. Pictures don't need keys.
    private static func answer(_ picture: GatewayPicture) -> Answer {
        let body = picture.png
        let headers = [("Content-Type", "image/png"), ("ETag", "\"\(MD5.hexDigest(body))\"")]
        return Answer(status: 200, headers: headers, body: body)
    }

    private static func answer(_ failure: GatewayFailure) -> Answer {
        guard let body = try? encode(failure) else { return brokenAnswer }
        return Answer(status: failure.status, headers: [contentType], body: body)
    }

    /// The response if encoding fails, which shouldn't happen.
    private static var brokenAnswer: Answer {
        let body = Data(#"{"code":500,"status":"Internal Server Error"}"#.utf8)
        return Answer(status: 500, headers: [contentType], body: body)
    }

    private static let contentType = (
        name: "Content-Type", value: "application/json; charset=utf-8"
    )

    private static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Forty digits, as the real API sent. The real ones weren't MD5 digests.
    private static func etag(of data: Data) -> String {
        let digest = MD5.hexDigest(data)
        return digest + MD5.hexDigest(digest.utf8).prefix(8)
    }
}
