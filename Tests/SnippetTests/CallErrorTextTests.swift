// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// No text of an error has a secret, and each has what a developer needs.
@Suite struct CallErrorTextTests {
    private struct Token: Decodable {
        enum CodingKeys: String, CodingKey {
            case value
        }
        enum Kind: String, Decodable {
            case bearer
        }

        let value: [String: Kind]
    }

    /// A request with a secret in each place, and its response.
    private var response: ServiceResponse {
        get throws {
            let url = try #require(URL(string: "https://joe:hunter2@example.com/a?key=hunter2"))
            var request = URLRequest(url: url)
            request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")
            let headers = ["Set-Cookie": "sid=hunter2", "Location": "https://a.com/hunter2"]
            return ServiceResponse(
                request: ServiceRequest(request), statusCode: 401, headers: headers,
                data: Data(#"{"value": {"hunter2": "hunter2"}}"#.utf8))
        }
    }

    private func expectNoSecret(in error: ServiceError, _ expected: String...) {
        var dumped = ""
        dump(error, to: &dumped)
        let texts = [
            "\(error)", String(reflecting: error), error.localizedDescription, "\([error])", dumped,
        ]
        for text in texts {
            #expect(!text.contains("hunter2"))
        }
        for text in expected {
            #expect(texts[0].contains(text), "\(texts[0])")
        }
        #expect(!error.localizedDescription.isEmpty)
    }

    @Test func statuses() throws {
        expectNoSecret(in: .unacceptableStatus(try response), "401", "GET", "/a")
        expectNoSecret(in: .emptyResponse(try response), "401", "GET", "/a")
    }

    @Test func decoding() throws {
        let response = try response
        do {
            _ = try response.decode(Token.self)
            Issue.record("The response was decoded.")
        } catch let error as ServiceError {
            // The other key is the server's, and the value isn't quoted.
            expectNoSecret(in: error, "Token", "value", "401")
        }
    }

    /// A key that isn't a case of an enum without a value may be the server's.
    @Test func keysFromTheServer() throws {
        enum Key: CodingKey {
            case dynamic(String)

            var stringValue: String {
                switch self {
                case .dynamic(let text): text
                }
            }
            var intValue: Int? { nil }
            init?(stringValue: String) { self = .dynamic(stringValue) }
            init?(intValue: Int) { nil }
        }
        struct Box: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys {
                    _ = try container.decode([Int].self, forKey: key)
                }
            }
        }
        var response = try response
        response.data = Data(#"{"hunter2": [true]}"#.utf8)
        do {
            _ = try response.decode(Box.self)
            Issue.record("The response was decoded.")
        } catch let error as ServiceError {
            expectNoSecret(in: error, "Box", "401")
        }
    }

    @Test func transport() throws {
        let url = try #require(URL(string: "https://example.com/?key=hunter2"))
        let info: [String: Any] = [NSURLErrorFailingURLErrorKey: url]
        let error = ServiceError(URLError(.timedOut, userInfo: info))
        expectNoSecret(in: error, "-1001")
    }

    @Test func otherErrorsAreWrapped() throws {
        struct Refusal: Error {}
        guard case .interceptor(let refusal) = ServiceError(Refusal()) else {
            Issue.record("It isn't an interceptor's error.")
            return
        }
        #expect(refusal is Refusal)
        let cancellations: [any Error] = [
            CancellationError(), URLError(.cancelled), ServiceError.cancelled,
        ]
        for error in cancellations {
            guard case .cancelled = ServiceError(error) else {
                Issue.record("\(error) isn't a cancellation.")
                continue
            }
        }
    }

    @Test func errorsWithoutAResponseHaveNone() {
        for error in [ServiceError.cancelled, .transport(URLError(.timedOut))] {
            #expect(error.response == nil)
            #expect(error.statusCode == nil)
        }
    }
}
