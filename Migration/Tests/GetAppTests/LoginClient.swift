// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A client in the style of an SDK for logins: its delegate sends every body as a form, and reads errors.

struct LoginUser: Decodable {
    var id: String
    var firstName: String?
}

struct LoginError: Error, Codable {
    var code: String
}

struct LoginFailures: Codable {
    var errors: [LoginError]
}

final class LoginDelegate: APIClientDelegate {
    func client(_ client: APIClient, willSendRequest request: inout URLRequest) async throws {
        request.setValue("2026-01-01", forHTTPHeaderField: "Api-Version")
        try encodeAsForm(&request)
    }

    func client(
        _ client: APIClient, validateResponse response: HTTPURLResponse, data: Data,
        task: URLSessionTask
    ) throws {
        guard !(200..<300).contains(response.statusCode) else { return }
        let failures = try client.configuration.decoder.decode(LoginFailures.self, from: data)
        throw failures.errors.first ?? LoginError(code: "unknown")
    }

    func client(
        _ client: APIClient, shouldRetry task: URLSessionTask, error: any Error, attempts: Int
    ) async throws -> Bool {
        (error as? LoginError)?.code == "try_again" && attempts < 3 && task.originalRequest != nil
    }

    private func encodeAsForm(_ request: inout URLRequest) throws {
        guard let body = request.httpBody else { return }
        let values = try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
        let pairs = values.map { "\($0.key)=\($0.value)" }.sorted()
        request.httpBody = Data(pairs.joined(separator: "&").utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    }
}

struct LoginAPI {
    let client: APIClient

    init(baseURL: URL?) {
        client = APIClient(baseURL: baseURL) { configuration in
            configuration.delegate = LoginDelegate()
            configuration.decoder.keyDecodingStrategy = .convertFromSnakeCase
            configuration.encoder.keyEncodingStrategy = .convertToSnakeCase
            configuration.sessionConfiguration.httpAdditionalHeaders = [
                "Content-Type": "application/json"
            ]
        }
    }

    static func signIn(_ identifier: String, password: String) -> Request<LoginUser> {
        let body = ["identifier": identifier, "password": password]
        return Request(path: "/v1/sign_ins", method: .post, query: [("native", "1")], body: body)
    }

    static func rename(_ user: LoginUser, to name: String) -> Request<LoginUser> {
        .init(path: "/v1/users/\(user.id)", method: .patch, body: ["first_name": name])
    }

    static func session(_ id: String) -> Request<LoginUser?> { .init(path: "/v1/sessions/\(id)") }

    static func end(_ id: String) -> Request<Void> {
        Request(path: "/v1/sessions/\(id)/end", method: .post)
    }

    func setPicture(_ picture: Data) async throws -> LoginUser {
        let headers = ["Content-Type": "multipart/form-data; boundary=b"]
        let request = Request<LoginUser>(path: "/v1/me/picture", method: .post, headers: headers)
        var body = Data("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n".utf8)
        body.append(picture)
        body.append(Data("\r\n--b--\r\n".utf8))
        return try await client.upload(for: request, from: body).value
    }
}
