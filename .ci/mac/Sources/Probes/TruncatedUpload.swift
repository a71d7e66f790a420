// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

extension Probe {
    /// A file that becomes shorter while it is sent.
    static let truncatedUpload = Probe(name: "truncated-upload", limit: 120) { _ in
        "The call fails, and the server doesn't get a complete request."
    } run: { setting in
        let server = try LoopbackServer(recordingBodiesUpTo: 0) { _ in .statusCode(204) }
        let file = try setting.sparseFile("file", size: 1 << 30)
        let truncation = Locked<TimeInterval?>(nil)
        let provider = try setting.provider().onProgress { progress in
            truncation { time in
                guard time == nil, progress.sent > 0 else { return }
                truncate(file.path, 0)
                time = uptime
            }
        }
        var failure: (any Error)?
        do { _ = try await provider.load(service: .upload(file, to: server)) } catch {
            failure = error
        }
        guard let start = truncation({ $0 }) else {
            return .notTried("no progress was reported before the end: \(failure.debugDescription)")
        }
        let wait = uptime - start
        let request = server.requests.last ?? server.nextRequest(timeout: 10)
        let isComplete = request?.isComplete == true
        let outcome = failure.map { "the call failed with '\($0)'" } ?? "the call succeeded"
        // The endpoint's timeout is 20 seconds.
        return .seen(
            "\(seconds(wait)) after the file became empty, \(outcome), and the server got "
                + (isComplete ? "a complete request" : "an incomplete request"),
            asDocumented: failure != nil && !isComplete && wait < 10)
    }
}
