// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

/// Records whether it was decoded on the main queue. Its conformance may be used anywhere.
nonisolated private struct Anywhere: Decodable, Sendable {
    let wasOnMain: Bool

    init(from decoder: any Decoder) throws { wasOnMain = isOnMainQueue() }
}

/// Records whether it was decoded on the main queue. Its conformance belongs to the main actor.
@MainActor private struct OnlyOnMain: @MainActor Decodable, Sendable {
    let wasOnMain: Bool

    init(from decoder: any Decoder) throws { wasOnMain = isOnMainQueue() }
}

/// Doesn't use `Thread.isMainThread`, because the main queue may run on another thread.
nonisolated private func isOnMainQueue() -> Bool {
    DispatchQueue.getSpecific(key: mainQueueKey) == true
}

nonisolated private let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// The wrappers that apps write around a provider. Most are tested by compiling.
private struct Repository: Sendable {
    let provider: ServiceProvider<Endpoint>

    func get<U: Decodable>(_ endpoint: Endpoint) async throws -> U {
        try await provider.load(service: endpoint, decodeType: U.self)
    }

    func list<U: Decodable>(_ endpoint: Endpoint, of: U.Type) async throws -> [U] {
        try await provider.load(service: endpoint, decodeType: [U].self)
    }

    func optional<U: Decodable>(_ endpoint: Endpoint, of: U.Type) async throws -> U? {
        try await provider.load(service: endpoint, decodeType: U?.self)
    }

    func sendable<U: Decodable & Sendable>(_ endpoint: Endpoint) async throws -> U {
        try await provider.load(service: endpoint, decodeType: U.self)
    }

    func decoded<U: Decodable>(_ endpoint: Endpoint, _: U.Type) async throws -> U {
        try await provider.response(service: endpoint).decode(U.self)
    }

    func send<E: ValueEndpoint>(_ endpoint: E) async throws -> E.Value {
        try await provider.load(service: endpoint.service, decodeType: E.Value.self)
    }

    func anyValues(_ endpoint: Endpoint) async throws -> [String] {
        let types: [any Decodable.Type] = [[Int].self, [String].self]
        var texts: [String] = []
        for type in types {
            let value = try? await provider.load(service: endpoint, decodeType: type)
            texts.append("\(value as Any)")
        }
        return texts
    }

    func reference(_ endpoint: Endpoint) async throws -> [Int] {
        let load: (Endpoint, [Int].Type) async throws -> [Int] = provider.load(service:decodeType:)
        return try await load(endpoint, [Int].self)
    }

    @discardableResult
    func get<U: Decodable>(
        _ endpoint: Endpoint, as type: U.Type,
        then: @escaping @MainActor @Sendable (sending ServiceResult<U>) -> Void
    ) -> Task<Void, Never> {
        provider.load(service: endpoint, decodeType: type, completion: then)
    }
}

private actor Store {
    let provider: ServiceProvider<Endpoint>

    init(_ provider: ServiceProvider<Endpoint>) { self.provider = provider }

    func get<U: Decodable & Sendable>(_ endpoint: Endpoint, _: U.Type) async throws -> U {
        try await provider.load(service: endpoint, decodeType: U.self)
    }
}

private protocol ValueEndpoint {
    associatedtype Value: Decodable
    var service: Endpoint { get }
}

private struct Numbers: ValueEndpoint {
    typealias Value = [Int]
    let service = Endpoint()
}

extension ServiceProvider {
    fileprivate nonisolated(nonsending) func value<U: Decodable>(_ service: T) async throws -> U {
        try await load(service: service, decodeType: U.self)
    }
}

/// A protocol that an app replaces in its tests. Without `nonisolated`, there is a warning in Swift 5 mode with
/// main-actor isolation by default.
nonisolated private protocol Loading: Sendable {
    func response(service: Endpoint) async throws -> ServiceResponse
    func load<U: Decodable>(service: Endpoint, decodeType: U.Type) async throws -> U
}

extension ServiceProvider: Loading where T == Endpoint {}

extension ServiceResult {
    /// Whether there is a value for which a condition is true.
    @MainActor fileprivate func isSuccess(_ condition: (Value) -> Bool) -> Bool {
        guard case .success(let value) = self else { return false }
        return condition(value)
    }
}

/// Generic code, protocols and actors around a provider.
@Suite(.timeLimit) struct WrapperTests {
    private let provider: ServiceProvider<Endpoint>
    private let repository: Repository
    private let endpoint = Endpoint()

    init() {
        _ = mainQueueKey
        provider = ServiceProvider(interceptors: [Stub(data: Data("[1, 2]".utf8))])
        repository = Repository(provider: provider)
    }

    @Test func genericMethodsDecode() async throws {
        #expect(try await repository.get(endpoint) == [1, 2])
        #expect(try await repository.sendable(endpoint) == [1, 2])
        #expect(try await repository.list(endpoint, of: Int.self) == [1, 2])
        #expect(try await repository.optional(endpoint, of: [Int].self) == [1, 2])
        #expect(try await repository.decoded(endpoint, [Int].self) == [1, 2])
        #expect(try await repository.send(Numbers()) == [1, 2])
        #expect(try await repository.anyValues(endpoint) == ["Optional([1, 2])", "nil"])
        #expect(try await repository.reference(endpoint) == [1, 2])
        #expect(try await Store(provider).get(endpoint, [Int].self) == [1, 2])
        #expect(try await provider.value(endpoint) == [1, 2])
        let loading: any Loading = provider
        #expect(try await loading.load(service: endpoint, decodeType: [Int].self) == [1, 2])
    }

    @Test func genericHandlersDecode() async throws {
        let count = await withCheckedContinuation { continuation in
            repository.get(endpoint, as: [Int].self) { result in
                if case .success(let numbers) = result {
                    continuation.resume(returning: numbers.count)
                } else {
                    continuation.resume(returning: -1)
                }
            }
        }
        #expect(count == 2)
    }

    @Test @MainActor func valuesAreDecodedOffTheMainActor() async throws {
        let value = try await provider.load(service: endpoint, decodeType: Anywhere.self)
        #expect(!value.wasOnMain)
        let wasOffMain = await withCheckedContinuation { continuation in
            provider.load(service: endpoint, decodeType: Anywhere.self) { result in
                continuation.resume(returning: result.isSuccess { !$0.wasOnMain })
            }
        }
        #expect(wasOffMain)
    }

    @Test @MainActor func typesOfTheMainActorAreDecodedOnIt() async throws {
        let value = try await provider.load(service: endpoint, decodeType: OnlyOnMain.self)
        #expect(value.wasOnMain)
        let wasOnMain = await withCheckedContinuation { continuation in
            provider.load(service: endpoint, decodeType: OnlyOnMain.self) { result in
                continuation.resume(returning: result.isSuccess(\.wasOnMain))
            }
        }
        #expect(wasOnMain)
    }

    /// A wrapper without an isolation may get such a type, and can't detect that.
    @Test @MainActor func typesOfTheMainActorAreDecodedOnItForAWrapper() async {
        let wasOnMain = await withCheckedContinuation { continuation in
            repository.get(endpoint, as: OnlyOnMain.self) { result in
                continuation.resume(returning: result.isSuccess(\.wasOnMain))
            }
        }
        #expect(wasOnMain)
    }
}
