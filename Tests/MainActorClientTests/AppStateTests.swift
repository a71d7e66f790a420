// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestTraits
import Testing

/// The app's state, isolated to the main actor.
private enum Session {
    static var baseURL = ""
    static var token = "a"
    static var count = 0
}

private struct GetProfile: TypedService {
    typealias Response = Profile
    var baseURL: String { Session.baseURL }
    var path: String { "/profile" }
    var headers: [String: String] { ["X-Token": Session.token] }
    func prepare(_ request: inout ServiceRequest) { Session.count += 1 }
}

private struct Profile: Decodable {
    let name: String
}

/// A protocol of the app. A type that reads the app's state must also name `Service` in its own
/// declaration.
nonisolated private protocol SessionEndpoint: Service {}

extension SessionEndpoint {
    fileprivate var baseURL: String { Session.baseURL }
}

private enum SessionService: Service, SessionEndpoint {
    case end

    var path: String { "/session/\(Session.token)" }
}

/// Services can read the app's state on the main actor.
@Suite(.serialized, .opensFiles, .timeLimit) struct AppStateTests {
    @Test func servicesReadTheStateOfTheApp() async throws {
        let server = try LoopbackServer { _ in .json(#"{"name": "Hulk"}"#) }
        Session.baseURL = server.baseURL
        let provider = ServiceProvider<GetProfile>()
        #expect(try await provider.load(service: GetProfile()).name == "Hulk")
        Session.token = "b"
        let name: String? = await withCheckedContinuation { continuation in
            provider.load(service: GetProfile(), decodeType: GetProfile.Response.self) { result in
                var name: String?
                if case .success(let profile) = result { name = profile.name }
                continuation.resume(returning: name)
            }
        }
        #expect(name == "Hulk")
        let any = ServiceProvider<AnyService>()
        try await any.load(service: AnyService(SessionService.end))
        #expect(server.requests.map(\.path) == ["/profile", "/profile", "/session/b"])
        #expect(server.requests.map { $0.header("X-Token") } == ["a", "b", nil])
        #expect(Session.count == 2)
    }
}
