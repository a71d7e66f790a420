// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import Moya
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Parts of Alamofire that apps use beside Moya.
@Suite struct AlamofireTests {
    @Test func headersIgnoreTheCaseOfNames() throws {
        var headers: HTTPHeaders = ["Accept": "a/b", "X-A": "1"]
        headers.add(name: "accept", value: "c/d")
        headers.add(.authorization(bearerToken: "t0k3n"))
        headers["x-a"] = nil
        headers.remove(name: "X-B")
        #expect(headers.dictionary == ["accept": "c/d", "Authorization": "Bearer t0k3n"])
        #expect(headers.value(for: "ACCEPT") == "c/d")
        #expect(headers.map(\.name) == ["accept", "Authorization"])
        #expect(HTTPHeaders([HTTPHeader(name: "a", value: "b")])["A"] == "b")
        let basic = HTTPHeader.authorization(username: "u", password: "p")
        #expect(basic.value == "Basic dTpw")
        var text = "\(headers) \(basic)"
        dump(headers, to: &text)
        dump(basic, to: &text)
        #expect(!text.contains("t0k3n") && !text.contains("dTpw"))
    }

    @Test func requestsAndResponsesHaveHeaders() throws {
        let url = try "https://example.com".asURL()
        var request = URLRequest(url: url)
        request.headers = ["A": "1", "B": "2"]
        request.headers.update(.contentType("a/b"))
        request.headers["A"] = nil
        #expect(request.allHTTPHeaderFields == ["B": "2", "Content-Type": "a/b"])
        request.method = .put
        #expect(request.httpMethod == "PUT")
        #expect(request.method == .put)
        #expect(URLSessionConfiguration.af.default.headers.dictionary == [:])
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: nil, headerFields: ["X-A": "1"])
        #expect(response?.headers["x-a"] == "1")
    }

    @Test func textsAndComponentsAreURLs() throws {
        #expect(try "https://example.com/a".asURL().path == "/a")
        #expect(URL(fileURLWithPath: "/a").asURL().path == "/a")
        #expect(try URLComponents(string: "/b")?.asURL().path == "/b")
        #expect(throws: AFError.self) { try "".asURL() }
    }

    @Test func aDestinationHasAlamofiresName() throws {
        let destination: DownloadRequest.Destination = { url, _ in (url, [.removePreviousFile]) }
        let task = Moya.Task.downloadDestination(destination)
        guard case .downloadDestination = task else {
            Issue.record("\(task)")
            return
        }
    }

    @Test func errorsHaveTheirKinds() {
        let cause = URLError(.timedOut)
        let file = URL(fileURLWithPath: "/a")
        let errors: [(AFError, KeyPath<AFError, Bool>)] = [
            (.explicitlyCancelled, \.isExplicitlyCancelledError),
            (.sessionTaskFailed(error: cause), \.isSessionTaskError),
            (
                .responseValidationFailed(reason: .unacceptableStatusCode(code: 404)),
                \.isResponseValidationError
            ),
            (.requestAdaptationFailed(error: cause), \.isRequestAdaptationError),
            (
                .requestRetryFailed(retryError: cause, originalError: cause),
                \.isRequestRetryError
            ),
            (.createUploadableFailed(error: cause), \.isCreateUploadableError),
            (
                .downloadedFileMoveFailed(error: cause, source: file, destination: file),
                \.isDownloadedFileMoveError
            ),
            (.invalidURL(url: ""), \.isInvalidURLError),
        ]
        for (error, kind) in errors {
            #expect(error[keyPath: kind])
            #expect(errors.count { error[keyPath: $0.1] } == 1)
            #expect(error.responseContentType == nil && error.acceptableContentTypes == nil)
            #expect(error.responseCode == (kind == \.isResponseValidationError ? 404 : nil))
        }
    }

    @Test func onlyACancelledCallSaysThatItWasCancelled() throws {
        let cause = CocoaError(.fileNoSuchFile)
        let errors: [AFError] = [
            .invalidURL(url: "canary"), .sessionDeinitialized, .sessionInvalidated(error: nil),
            .responseValidationFailed(reason: .customValidationFailed(error: cause)),
            .multipartEncodingFailed(reason: cause), .createURLRequestFailed(error: cause),
        ]
        for error in errors {
            #expect(error.localizedDescription != AFError.explicitlyCancelled.localizedDescription)
            #expect(!error.localizedDescription.contains("canary"))
        }
        #expect(
            errors.map { $0.underlyingError is CocoaError } == [
                false, false, false, true, true, true,
            ])
    }
}
