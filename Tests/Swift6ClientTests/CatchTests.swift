// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

nonisolated private struct Missing: Service {
    let baseURL: String
    var path: String { "/missing" }
}

private struct Fallback: Error {}

/// The ways in which apps catch errors. With typed throws, some of them crashed the compiler of Swift 6.3
/// (swift#89838), so each has to stay a test.
@Suite(.serialized, .opensFiles, .timeLimit) struct CatchTests {
    let server: LoopbackServer
    private let service: Missing
    private let provider = ServiceProvider<Missing>()

    init() throws {
        server = try LoopbackServer { _ in .text("none", statusCode: 404) }
        service = Missing(baseURL: server.baseURL)
    }

    // MARK: - In functions that throw

    @Test func throwingFunctions() async throws {
        #expect(try await castWithDefault() == "none")
        #expect(try await castWithOr())
        #expect(try await pattern() == "none")
        #expect(try await patternWithWhere() == 404)
        #expect(try await severalPatterns() == "status")
        #expect(try await castAndOtherwise() == 404)
        #expect(try await nestedInACatch() == "none, again")
        #expect(try await inASwitch() == "none")
        #expect(try await withGuard() == "none")
        await #expect(throws: Fallback.self) { try await replaced() }
    }

    func castWithDefault() async throws -> String {
        do {
            return String(decoding: try await provider.load(service: service), as: UTF8.self)
        } catch let error as ServiceError {
            return error.response?.text ?? "no response"
        }
    }

    func castWithOr() async throws -> Bool {
        do {
            try await provider.load(service: service)
            return false
        } catch let error as ServiceError {
            return error.statusCode == 404 || error.statusCode == nil
        }
    }

    func pattern() async throws -> String {
        do {
            try await provider.load(service: service)
        } catch ServiceError.unacceptableStatus(let response) {
            return response.text ?? "no text"
        }
        return "success"
    }

    func patternWithWhere() async throws -> Int {
        do {
            try await provider.load(service: service)
        } catch ServiceError.unacceptableStatus(let response) where response.statusCode == 404 {
            return response.statusCode
        }
        return 0
    }

    func severalPatterns() async throws -> String {
        do {
            try await provider.load(service: service)
        } catch ServiceError.cancelled {
            return "cancelled"
        } catch ServiceError.transport(let error) {
            return "transport \(error.code.rawValue)"
        } catch ServiceError.unacceptableStatus, ServiceError.emptyResponse {
            return "status"
        }
        return "success"
    }

    func castAndOtherwise() async throws -> Int {
        do {
            try await provider.load(service: service)
        } catch let error as ServiceError {
            return error.statusCode ?? 0
        } catch {
            throw Fallback()
        }
        return 0
    }

    func nestedInACatch() async throws -> String {
        do {
            try await provider.load(service: service)
        } catch let first as ServiceError {
            do {
                try await provider.load(service: service)
            } catch let second as ServiceError {
                let isSame = first.statusCode == second.statusCode || second.response == nil
                return (first.response?.text ?? "") + (isSame ? ", again" : "")
            }
        }
        return "success"
    }

    func inASwitch() async throws -> String {
        do {
            try await provider.load(service: service)
            return "success"
        } catch let error as ServiceError {
            switch error {
            case .unacceptableStatus(let response): return response.text ?? "no text"
            case .transport(let error): return error.localizedDescription
            default: return "other"
            }
        }
    }

    func withGuard() async throws -> String {
        do {
            try await provider.load(service: service)
        } catch {
            guard let error = error as? ServiceError else { throw error }
            return error.response?.text ?? ""
        }
        return "success"
    }

    func replaced() async throws {
        do {
            try await provider.load(service: service)
        } catch is ServiceError {
            throw Fallback()
        }
    }

    // MARK: - In functions that don't throw

    @Test func functionsThatDoNotThrow() async {
        #expect(await bareCatch() == "status 404")
        #expect(await castAndLastCatch() == 404)
        #expect(await patternAndLastCatch() == "none")
        #expect(await ifCase() == 404)
        #expect(await isCancelled() == false)
    }

    func bareCatch() async -> String {
        do {
            try await provider.load(service: service)
            return "success"
        } catch {
            return "status \((error as? ServiceError)?.statusCode ?? 0)"
        }
    }

    func castAndLastCatch() async -> Int {
        do {
            try await provider.load(service: service)
            return 200
        } catch let error as ServiceError {
            return error.statusCode ?? 0
        } catch {
            return -1
        }
    }

    func patternAndLastCatch() async -> String {
        do {
            try await provider.load(service: service)
            return "success"
        } catch ServiceError.unacceptableStatus(let response) {
            return response.text ?? "no text"
        } catch ServiceError.decoding(let cause, let response, as: let type) {
            return "\(type) \(cause) \(response.text ?? "")"
        } catch {
            return "other"
        }
    }

    func ifCase() async -> Int {
        do {
            try await provider.load(service: service)
        } catch {
            if case ServiceError.unacceptableStatus(let response) = error {
                return response.statusCode
            }
        }
        return 0
    }

    func isCancelled() async -> Bool {
        do {
            try await provider.load(service: service)
        } catch ServiceError.cancelled {
            return true
        } catch {
            return error is CancellationError || (error as? ServiceError)?.statusCode == nil
        }
        return false
    }

    // MARK: - In closures

    @Test func closures() async throws {
        let task = Task { () -> String in
            do {
                try await provider.load(service: service)
                return "success"
            } catch let error as ServiceError {
                return error.response?.text ?? "no text"
            }
        }
        #expect(try await task.value == "none")
        let status = await Task { () -> Int in
            do {
                try await provider.load(service: service)
            } catch let error as ServiceError where error.statusCode != nil {
                return error.statusCode ?? 0
            } catch {}
            return 0
        }.value
        #expect(status == 404)
        let handled: Int = await withCheckedContinuation { continuation in
            provider.load(service: service) { result in
                do {
                    _ = try result.get()
                    continuation.resume(returning: 0)
                } catch let error as ServiceError {
                    continuation.resume(returning: error.statusCode ?? 1)
                } catch {
                    continuation.resume(returning: 2)
                }
            }
        }
        #expect(handled == 404)
    }

    // MARK: - In tests

    @Test func expectations() async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: service)
        }
        #expect(error?.statusCode ?? 0 == 404)
        await #expect {
            try await provider.load(service: service)
        } throws: { error in
            (error as? ServiceError)?.statusCode == 404 || error is Fallback
        }
        do {
            try await provider.load(service: service)
            Issue.record("The call succeeded.")
        } catch ServiceError.unacceptableStatus(let response) {
            #expect(response.text ?? "" == "none")
        }
    }
}
