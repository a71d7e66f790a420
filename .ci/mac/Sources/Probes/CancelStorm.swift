// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

extension Probe {
    /// Calls that are cancelled at random moments.
    static let cancelStorm = Probe(name: "cancel-storm", limit: 300) { _ in
        "Each call ends once. One that is cancelled succeeds, or ends with `.cancelled`."
    } run: { setting in
        let count = setting.isQuick ? 500 : 5_000
        let server = try LoopbackServer { _ in
            .text("storm").delayed(by: .random(in: 0...0.004))
        }
        let provider = try setting.provider()
        let endpoint = Endpoint(baseURL: server.baseURL, path: "/storm")
        let ends = Locked(Ends(count: count))
        for first in stride(from: 0, to: count, by: 50) {
            let calls = (first..<first + 50).map { index in
                let call = provider.load(service: endpoint) { result in
                    ends { $0.note(result, of: index) }
                }
                if index % 4 > 0 { cancelSoon(call) }
                return call
            }
            for call in calls {
                await call.value
            }
        }
        // If a handler runs twice, the second time is before the end of a later call.
        _ = try await provider.load(service: endpoint)
        let found = ends { $0 }
        return .seen(
            "of \(count) calls, \(found.succeeded) succeeded, \(found.cancelled) were cancelled, "
                + "\(found.failed) failed, \(found.missing) never ended, \(found.repeated) ended twice",
            asDocumented: found.succeeded + found.cancelled == count && found.isOnceEach
                && found.succeeded >= count / 4 && found.cancelled > 0)
    }

    private static func cancelSoon(_ call: Task<Void, Never>) {
        let moment = DispatchTimeInterval.microseconds(.random(in: 0...8_000))
        DispatchQueue.global().asyncAfter(deadline: .now() + moment) { call.cancel() }
    }
}

/// How calls have ended.
private struct Ends {
    /// How often each call has ended.
    private var counts: [Int]
    private(set) var succeeded = 0
    private(set) var cancelled = 0
    private(set) var failed = 0

    init(count: Int) { counts = [Int](repeating: 0, count: count) }

    var missing: Int { counts.count { $0 == 0 } }
    var repeated: Int { counts.count { $0 > 1 } }
    var isOnceEach: Bool { missing == 0 && repeated == 0 }

    mutating func note(_ result: ServiceResult<Data>, of index: Int) {
        counts[index] += 1
        switch result {
        case .success(Data("storm".utf8)): succeeded += 1
        // Every fourth call isn't cancelled.
        case .failure(.cancelled) where index % 4 > 0: cancelled += 1
        case .success, .empty, .failure: failed += 1
        }
    }
}
