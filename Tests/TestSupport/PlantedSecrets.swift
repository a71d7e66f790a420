// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderSupport

/// Endpoints that each contain a secret in a different place. Tests pass every text that the
/// library produces for them to `transcribed(_:as:)`.
public enum PlantedSecrets {
    /// A service that accepts any response.
    public static func service(at baseURL: String) -> TestService {
        TestService(
            baseURL: baseURL, path: "/planted",
            validStatusCodes: Set(200..<300).union(400..<600))
    }

    public static let places = [
        "bearer token", "basic password", "api key header", "cookie", "proxy credentials",
        "header of a secret name",
        "query", "nested query", "URL in a query", "query of a secret name", "password in the URL",
        "escaped password in the URL", "user in the URL", "form", "nested form", "JSON",
        "nested JSON", "JSON array",
        "JSON of a secret name", "JSON in a string", "GraphQL", "GraphQL in a query", "multipart",
        "XML",
    ]

    /// Uses its own cookie store, because all tests share the system's.
    public static func provider(
        _ interceptors: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        let transport = URLSessionTransport(configuration: .ephemeral)
        return ServiceProvider(transport: transport, interceptors: interceptors)
    }

    public static func secret(_ place: String) -> String { canary(place) }

    /// - Parameter origin: Such as `http://127.0.0.1:80`.
    public static func endpoint(_ place: String, at origin: String) -> TestService {
        let secret = canary(place)
        var endpoint = service(at: origin)
        func post(_ parameters: [String: Any], _ isForm: Bool = false) {
            endpoint.method = .post
            endpoint.parameters = parameters
            if isForm { endpoint.parameterEncoding.destination = .form }
        }
        switch place {
        case "bearer token": endpoint.headers = ["Authorization": "Bearer \(secret)"]
        case "basic password":
            let plain = Data("joe:\(secret)".utf8).base64EncodedString()
            endpoint.headers = ["Authorization": "Basic \(plain)"]
        case "api key header": endpoint.headers = ["X-Api-Key": secret]
        case "cookie": endpoint.headers = ["Cookie": "theme=dark; sid=\(secret)"]
        case "proxy credentials": endpoint.headers = ["Proxy-Authorization": "Basic \(secret)"]
        case "header of a secret name":
            endpoint.headers = ["X-Tenant-Pin": secret]
            endpoint.secretNames = ["tenant_pin"]
        case "query": endpoint.parameters = ["apikey": secret, "name": "Hulk"]
        case "nested query": endpoint.parameters = ["user": ["token": secret]]
        case "URL in a query": endpoint.parameters = ["to": "https://h/?access_token=\(secret)"]
        case "query of a secret name":
            endpoint.parameters = ["tenantPin": secret]
            endpoint.secretNames = ["tenant_pin"]
        case "password in the URL":
            endpoint.baseURL = origin.replacingOccurrences(of: "//", with: "//joe:\(secret)@")
        case "escaped password in the URL":
            endpoint.baseURL = origin.replacingOccurrences(
                of: "//", with: "//j;oe:%40%2F\(secret)%3F@")
        case "user in the URL":
            endpoint.baseURL = origin.replacingOccurrences(of: "//", with: "//\(secret)@")
        case "multipart":
            endpoint.method = .post
            let text = """
                --b\r
                Content-Disposition: form-data; name="name"\r
                \r
                Hulk\r
                --b\r
                Content-Disposition: form-data; name="password"\r
                \r
                it's, (\(secret))!\r
                --b--\r

                """
            endpoint.body = .data(
                Data(text.utf8), contentType: "multipart/form-data; boundary=b")
        case "XML":
            endpoint.method = .post
            let text = "<a:Password>\(secret)</a:Password>"
            endpoint.body = .data(Data(text.utf8), contentType: "text/xml")
        case "form": post(["password": secret, "name": "Hulk"], true)
        case "nested form": post(["user": ["client_secret": secret]], true)
        case "JSON": post(["password": secret, "name": "Hulk"])
        case "nested JSON": post(["user": ["credentials": ["a": ["b": secret]]]])
        case "GraphQL": post(["query": #"mutation { login(password: "\#(secret)") { id } }"#])
        case "GraphQL in a query":
            endpoint.parameters = ["query": #"mutation { login(password: "\#(secret)") { id } }"#]
        case "JSON array": post(["tokens": ["x"], "token": ["x", secret]])
        case "JSON of a secret name":
            post(["tenantPin": secret])
            endpoint.secretNames = ["tenant_pin"]
        default: post(["inner": #"{"token":"\#(secret)"}"#])
        }
        return endpoint
    }

    /// A response with a secret in each place where servers put them.
    public static var response: LoopbackResponse {
        let token = canary("token in a response")
        return LoopbackResponse.json(
            #"{"message":"no","access_token":"\#(token)"}"#, statusCode: 401
        )
        .header("Set-Cookie", "sid=\(canary("cookie in a response")); Path=/")
        .header("X-Auth-Token", canary("header of a response"))
        .header("Link", "<https://h/?token=\(canary("link in a response"))>; rel=next")
    }
}
