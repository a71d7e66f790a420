// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya
import ServiceProvider

/// Set on the main queue.
nonisolated let isMainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

extension MoyaProvider {
    convenience init(
        stubClosure: @escaping StubClosure = { _ in .never }, plugins: [any PluginType] = [],
        trackInflights: Bool = false, transport: any ServiceTransport = URLSessionTransport.shared,
        interceptors: [any ServiceInterceptor] = []
    ) {
        let session = Session(transport: transport, interceptors: interceptors)
        self.init(
            stubClosure: stubClosure, session: session, plugins: plugins,
            trackInflights: trackInflights)
    }

    nonisolated(nonsending) func request(_ target: Target) async throws -> Response {
        try await result(of: target, queue: DispatchQueue(label: "request")).result.get()
    }

    /// The result of the call with a handler, and whether the handler ran on the main queue.
    nonisolated(nonsending) func result(
        of target: Target, queue: DispatchQueue? = nil
    ) async -> (result: Result<Response, MoyaError>, isMain: Bool) {
        await withCheckedContinuation { continuation in
            request(target, callbackQueue: queue) {
                let isMain = DispatchQueue.getSpecific(key: isMainKey) ?? false
                continuation.resume(returning: ($0, isMain))
            }
        }
    }
}
