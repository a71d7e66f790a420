// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get
import LoopbackServer
import TestSupport
import Testing

/// Four clients that were written for Get, with the kit as the module `Get`. They send the same requests as with Get.
@Suite(.serialized, .opensFiles, .timeLimit) struct WrittenForGetTests {
    let server: LoopbackServer
    var url: URL? { URL(string: server.baseURL) }

    init() throws { server = try LoopbackServer { _ in .json("{}") } }

    func check<T>(
        _ client: APIClient, _ request: Request<T>, _ line: String, body: String = "",
        type: String? = nil, accept: String = "application/json", headers: [String: String] = [:],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await client.data(for: request)
        let sent = try #require(server.nextRequest(), sourceLocation: location)
        #expect("\(sent.method) \(sent.target)" == line, sourceLocation: location)
        #expect(String(decoding: sent.body, as: UTF8.self) == body, sourceLocation: location)
        let type = type ?? (body.isEmpty ? nil : "application/json")
        #expect(sent.header("Content-Type") == type, sourceLocation: location)
        #expect(sent.header("Accept") == accept, sourceLocation: location)
        for (name, value) in headers {
            #expect(sent.header(name) == value, sourceLocation: location)
        }
    }

    @Test func generatedRequestsArrive() async throws {
        let media = MediaClient(url: url?.appendingPathComponent("v1"), accessToken: "t")
        let client = media.client
        let date = Date(timeIntervalSince1970: 60)
        let item = MediaItem(id: "7", overview: "a/b", premiereDate: date)
        let headers = ["Authorization": "Media Client=app, Token=t", "User-Agent": "Media/1.0"]
        try await check(
            client, MediaPaths.users(), "GET /v1/Users?isHidden&isDisabled", headers: headers)
        try await check(
            client, MediaPaths.users(isHidden: false), "GET /v1/Users?isHidden=false&isDisabled")
        try await check(
            client, MediaPaths.items(userID: "u 1", limit: 5, fields: ["a", "b c"]),
            "GET /v1/Users/u%201/Items?limit=5&fields=a%2Cb%20c")
        try await check(
            client, MediaPaths.update(item), "POST /v1/Items/7",
            body: #"{"id":"7","overview":"a\/b","premiereDate":"1970-01-01T00:01:00Z"}"#)
        try await check(
            client, MediaPaths.image(id: "7", width: 9), "GET /v1/Items/7/Images/Primary?width=9",
            accept: "image/*")
        try await check(
            client, MediaPaths.setImage(id: "7", Data("png".utf8)),
            "POST /v1/Items/7/Images/Primary",
            body: "png", type: "image/png")
        try await check(client, MediaPaths.headImage(id: "7"), "HEAD /v1/Items/7/Images/Primary")
        try await check(
            client, MediaPaths.message(session: "s", "héllo"), "POST /v1/Sessions/s/Message",
            body: "héllo", type: "text/plain")
        try await check(client, MediaPaths.ping, "POST /v1/System/Ping")
        try await check(client, MediaPaths.logout, "POST /v1/Sessions/Logout")
        #expect(try await media.send(MediaPaths.ping).value == "{}")
    }

    @Test func bodiesThatADelegateEncodesArrive() async throws {
        let client = LoginAPI(baseURL: url).client
        let (json, form) = ("application/json", "application/x-www-form-urlencoded")
        let headers = ["Api-Version": "2026-01-01"]
        try await check(
            client, LoginAPI.signIn("ada", password: "x"), "POST /v1/sign_ins?native=1",
            body: "identifier=ada&password=x", type: form, headers: headers)
        try await check(
            client, LoginAPI.rename(LoginUser(id: "1"), to: "Ada"), "PATCH /v1/users/1",
            body: "first_name=Ada", type: form)
        try await check(client, LoginAPI.session("2"), "GET /v1/sessions/2", type: json)
        try await check(client, LoginAPI.end("2"), "POST /v1/sessions/2/end", type: json)
    }

    @Test func aDelegateThatEncodesBodiesUploadsAPicture() async throws {
        let api = LoginAPI(baseURL: url)
        server.enqueue(
            .json(#"{"errors": [{"code": "try_again"}]}"#, statusCode: 503),
            .json(#"{"id": "1", "first_name": "Ada"}"#))
        let user = try await api.setPicture(Data([0xFF, 0xD8, 0]))
        #expect(user.firstName == "Ada")
        let picture = try #require(server.requests.last)
        #expect(server.requests.count == 2)
        #expect(picture.target == "/v1/me/picture")
        #expect(picture.header("Content-Type") == "multipart/form-data; boundary=b")
        #expect(picture.body.range(of: Data([0xFF, 0xD8, 0])) != nil)
        server.enqueue(.json(#"{"errors": [{"code": "denied"}]}"#, statusCode: 403))
        let error = await #expect(throws: LoginError.self) {
            try await api.client.send(LoginAPI.end("2"))
        }
        #expect(error?.code == "denied")
    }

    @Test func requestsOfNestedPathsArrive() async throws {
        let client = APIClient(baseURL: url) { $0.delegate = StoreSigner() }
        let apps = StoreEndpoint.apps
        let app = StoreDocument(data: StoreApp(name: "A", url: nil))
        try await check(
            client, apps.get(), "GET /v1/apps", headers: ["Authorization": "Bearer jwt1"])
        var parameters = StoreEndpoint.Apps.Parameters(names: ["a", "b&c"], limit: 2)
        try await check(
            client, apps.get(parameters: parameters),
            "GET /v1/apps?filter%5Bname%5D=a%2Cb%26c&limit=2",
            headers: ["Authorization": "Bearer jwt2"])
        parameters = .init(existing: true)
        try await check(
            client, apps.get(parameters: parameters), "GET /v1/apps?exists%5Breview%5D=true")
        try await check(client, apps.get(parameters: .init()), "GET /v1/apps")
        try await check(client, apps.post(app), "POST /v1/apps", body: #"{"data":{"name":"A"}}"#)
        try await check(client, apps.id("1").get, "GET /v1/apps/1")
        try await check(client, apps.id("1").delete, "DELETE /v1/apps/1")
        try await check(
            client, apps.id("1").put(app), "PUT /v1/apps/1", body: #"{"data":{"name":"A"}}"#)
        try await check(
            client, apps.id("1").builds(["2"]), "PATCH /v1/apps/1/relationships/builds",
            body: #"{"data":["2"]}"#, headers: ["Authorization": "Bearer jwt9"])
    }

    @Test func aDelegateChoosesTheCodersOfARequest() async throws {
        let client = APIClient(baseURL: url) { $0.delegate = LegacyCoders() }
        let repo = Repo(fullName: "a/b", pushedAt: Date(timeIntervalSince1970: 60))
        let next = try #require(URL(string: server.baseURL + "/next?page=1"))
        try await check(client, .repo("a/b"), "GET /repos/a/b")
        try await check(client, .page(next), "GET /next?page=2")
        try await check(client, .star("a/b"), "PUT /user/starred/a/b")
        try await check(
            client, .unstar("a"), "DELETE /user/starred/a", headers: ["X-Reason": "boring"])
        try await check(client, .root, "GET /")
        try await check(
            client, .edit(repo), "PUT /repos/a/b", body: #"{"full_name":"a\/b","pushed_at":60}"#)
        server.enqueue(
            .json(#"{"full_name": "a/b", "pushed_at": 60}"#),
            .json(#"{"fullName": "c", "pushedAt": "1970-01-01T00:01:00Z"}"#), .statusCode(404))
        #expect(try await client.send(.edit(repo)).value.pushedAt == repo.pushedAt)
        #expect(try await client.send(.repo("c")).value.pushedAt == repo.pushedAt)
        let error = await #expect(throws: APIError.self) { try await client.send(.star("a")) }
        #expect(error?.localizedDescription == "Response status code was unacceptable: 404.")
    }
}
