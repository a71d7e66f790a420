// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import MoyaKit

/// Set on the main queue.
nonisolated let isMainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

extension MoyaProvider {
    /// The result of the call with a handler, and whether the handler ran on the main queue.
    func result(
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
