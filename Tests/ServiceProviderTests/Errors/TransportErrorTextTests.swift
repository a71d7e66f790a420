// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The texts of errors of the transport and of interceptors.
@Suite(.serialized, .opensFiles(0), .timeLimit) struct TransportErrorTextTests {
    @Test(arguments: [
        (URLError.Code.cannotConnectToHost, "The server can't be reached."),
        (.cannotFindHost, "The server can't be reached."),
        (.timedOut, "The server didn't respond in time."),
        (.networkConnectionLost, "The connection to the server failed."),
        (.notConnectedToInternet, "There is no internet connection."),
        (.secureConnectionFailed, "The connection to the server failed."),
    ])
    func textsOfTransportErrors(code: URLError.Code, text: String) async {
        let error = await ErrorText.error(over: ErrorText.failing(URLError(code)))
        let number = "URLError \(code.rawValue)"
        #expect(error?.description == "\(text) (\(number), https://api.example.com:443)")
        #expect(error?.localizedDescription == text)
        #expect(error?.statusCode == nil)
    }

    @Test func addressesOfIPv6KeepTheirBrackets() async {
        let endpoint = TestService(baseURL: "http://[::1]:8080")
        let error = await ErrorText.error(
            of: endpoint, over: ErrorText.failing(URLError(.timedOut)))
        #expect(
            error?.description
                == "The server didn't respond in time. (URLError -1001, http://[::1]:8080)")
    }

    @Test func theReasonForAMissingNetworkIsKept() async {
        let info: [String: Any] = [
            "NSURLErrorNetworkUnavailableReasonKey": 2,
            "NSErrorFailingURLStringKey": "https://api.example.com/?key=\(canary("failing URL"))",
        ]
        let failing = ErrorText.failing(URLError(.dataNotAllowed, userInfo: info))
        guard case .transport(let cause) = await ErrorText.error(over: failing) else {
            Issue.record("Not a transport error.")
            return
        }
        #expect(cause.userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int == 2)
        #expect(cause.userInfo["NSErrorFailingURLStringKey"] == nil)
    }

    @Test func platformDescriptionsComeLast() async {
        let words = [NSLocalizedDescriptionKey: "Broken pipe"]
        let error = await ErrorText.error(
            over: ErrorText.failing(URLError(.unknown, userInfo: words)))
        #expect(
            error?.description.hasSuffix("(URLError -1, https://api.example.com:443): Broken pipe")
                == true)
    }

    @Test func interceptorErrorsAreLabelled() async {
        struct Refusing: ServiceInterceptor, LocalizedError {
            var errorDescription: String? { "Not signed in." }

            func intercept(
                _ request: ServiceRequest,
                next: @escaping ServiceNext
            ) async throws -> ServiceResponse {
                throw self
            }
        }
        let error = await ErrorText.error(interceptors: [Refusing()])
        #expect(error?.description == "The call failed: Not signed in.")
        #expect(error?.localizedDescription == "Not signed in.")
    }

    /// Errors that no transport threw, such as those of an interceptor's own call.
    @Test func urlErrorsShowNoQuery() async throws {
        let url = try #require(URL(string: "https://joe:pw@auth.example.com/t?token=SECRET"))
        let inner = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url])
        let wrapping = Intercept { _, _ in throw ServiceError(inner) }
        let service = TestService(change: { _ in throw inner })
        let provider = ServiceProvider<TestService>(transport: ErrorText.response())
        var ends = await [ErrorText.error(interceptors: [wrapping]), ErrorText.error(of: service)]
        let handled: ServiceResult<Int> = await withCheckedContinuation { continuation in
            let completion: ServiceProvider<TestService>.Completion<Int> = { result in
                continuation.resume(returning: result)
            }
            _ = provider.task(service: ErrorText.characters, completion: completion) { _ in
                throw inner
            }
        }
        if case .failure(let error) = handled { ends.append(error) }
        #expect(ends.count == 3)
        for end in ends {
            let text =
                "The server didn't respond in time. (URLError -1001, https://auth.example.com:443)"
            #expect(end?.description == text)
        }
    }

    @Test func longTextsAreCut() async {
        let words = [NSLocalizedDescriptionKey: String(repeating: "x\n", count: 5_000)]
        let error = await ErrorText.error(
            over: ErrorText.failing(URLError(.unknown, userInfo: words)))
        #expect(error?.description.count == 400)
        #expect(error?.description.contains("\n") == false)
    }
}
