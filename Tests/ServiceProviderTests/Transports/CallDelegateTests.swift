// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import ServiceProvider
import TestSupport
import Testing

/// Callbacks that only URLSession on Apple platforms makes, or leaves out. The server never responds, so
/// no other callbacks come.
@Suite(.serialized, .opensFiles, .timeLimit) struct CallDelegateTests {
    private let server: RawServer
    private let url: URL
    private let session = URLSessionCallDelegate.makeSession(.ephemeral)
    private let call = URLSessionCallDelegate()
    private let task: URLSessionTask

    init() throws {
        server = try RawServer { $0.waitForStop() }
        url = try #require(URL(string: "http://127.0.0.1:\(server.port)/a"))
        task = session.dataTask(with: url)
    }

    /// Starts the call, runs the callbacks, and returns how the call ended.
    private func outcome(
        of callbacks: @escaping @Sendable () -> Void
    ) async throws -> Result<ServiceResponse, any Error> {
        let request = ServiceRequest(URLRequest(url: url))
        let outcome = try await within(seconds: 60) { () -> Result<ServiceResponse, any Error> in
            do {
                return .success(
                    try await withCheckedThrowingContinuation { continuation in
                        call.start(task, request, continuation)
                        callbacks()
                    })
            } catch {
                return .failure(error)
            }
        }
        task.cancel()
        server.stop()
        return outcome
    }

    private func refuseRedirect() {
        let redirect = HTTPURLResponse(
            url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": "/b"])
        redirect.map {
            call.urlSession(
                session, task: task, willPerformHTTPRedirection: $0,
                newRequest: URLRequest(url: url)
            ) { _ in }
        }
    }

    @Test(.row("R22")) func aRefusedRedirectThatNothingFollowsIsTheResponse() async throws {
        let outcome = try await outcome {
            refuseRedirect()
            call.endRefusedRedirect(of: task, in: session, after: 0.01)
        }
        let response = try outcome.get()
        #expect(response.statusCode == 302)
        #expect(response.header("Location") == "/b")
    }

    @Test(.row("R22"), arguments: [URLError.Code.timedOut, .networkConnectionLost])
    func aRefusedRedirectIsTheResponseEvenIfItsTaskFails(_ code: URLError.Code) async throws {
        let outcome = try await outcome {
            refuseRedirect()
            call.urlSession(session, task: task, didCompleteWithError: URLError(code))
        }
        #expect(try outcome.get().statusCode == 302)
    }

    @Test func aCancelledRedirectIsAnError() async throws {
        let outcome = try await outcome {
            refuseRedirect()
            call.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
        }
        #expect(throws: URLError(.cancelled)) { try outcome.get() }
    }

    @Test(.row("C29"), arguments: [true, false])
    func onlyARefusedChallengeIsAnErrorOfAuthentication(_ isRefused: Bool) async throws {
        let outcome = try await outcome {
            if isRefused { call.noteRefusedChallenge() }
            // URLSession's error for a challenge that was cancelled, and for a session that was.
            call.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
        }
        let code: URLError.Code = isRefused ? .userCancelledAuthentication : .cancelled
        #expect { try outcome.get() } throws: { ($0 as? URLError)?.code == code }
    }

    @Test(arguments: [URLError.Code.timedOut, .serverCertificateUntrusted])
    func otherErrorsStayAfterARefusedChallenge(_ code: URLError.Code) async throws {
        let outcome = try await outcome {
            call.noteRefusedChallenge()
            call.urlSession(session, task: task, didCompleteWithError: URLError(code))
        }
        #expect { try outcome.get() } throws: { ($0 as? URLError)?.code == code }
    }

    @Test func aCancelledCallIsCancelledAfterARefusedChallengeToo() async throws {
        let outcome = try await outcome {
            call.noteRefusedChallenge()
            call.cancel()
        }
        #expect { try outcome.get() } throws: { ($0 as? URLError)?.code == .cancelled }
    }
}
#endif
