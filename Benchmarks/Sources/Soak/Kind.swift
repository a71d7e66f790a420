// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The kinds of calls. The path of a call starts with the kind's name.
enum Kind: String, CaseIterable {
    case text, value, handler, valueHandler, emptyHandler, empty, head, gzip, slow, shared
    case conditional, authorized, flaky, broken, missing, refused, cut, reset, lost, never, stalled
    case deadline, redirect, foreign, moved, loop, upload, file, multipart, download, cutDownload
    case resume, events, eventsLeft, stream, streamLeft, pages, transport
    // Invalid responses that URLSession on Linux accepts, or is slow to refuse.
    case twice, garbage, endless
    // With HTTP/2, and over bad networks: see `Faults`.
    case multiplexed, resetStream, refusedStream, goAway, silent
    case far, farFile, farUpload, farEvents

    static let http2: Set<Kind> = [.multiplexed, .resetStream, .refusedStream, .goAway, .silent]
    static let overNetwork: Set<Kind> = [.far, .farFile, .farUpload, .farEvents]

    static func all(curl isCurl: Bool) -> [Kind] {
        let others: Set<Kind> = [.twice, .garbage, .endless]
        return allCases.filter {
            if http2.contains($0) { return isCurl && Faults.http2 != nil }
            if overNetwork.contains($0) { return Faults.far != nil }
            // Ends its session. libdispatch on Linux crashes if a program ends many sessions while others send requests.
            if $0 == .transport { return isCurl }
            return isCurl || !others.contains($0)
        }
    }

    /// How often the kind is chosen, relative to others.
    var weight: Int {
        switch self {
        case .text, .value, .shared, .conditional, .authorized: 6
        case .handler, .valueHandler, .upload, .gzip: 4
        case .loop, .transport, .endless, .never, .stalled, .eventsLeft, .silent: 1
        case .far, .farFile, .farUpload, .farEvents: 1
        default: 2
        }
    }

    /// The allowed outcomes of a call that isn't cancelled.
    func outcomes(curl isCurl: Bool) -> Set<Outcome> {
        switch self {
        case .empty, .emptyHandler: [.empty]
        case .broken: [.status(500)]
        case .missing: [.status(404)]
        case .loop: [.status(302)]
        case .refused: [.failure(.cannotConnectToHost)]
        case .never, .stalled, .deadline, .silent: [.failure(.timedOut)]
        case .resetStream: [.failure(.networkConnectionLost)]
        // A call that two others have stopped by GOAWAY isn't sent a third time.
        case .goAway: [.value, .failure(.networkConnectionLost)]
        // The slowest networks may take longer than the deadline.
        case .far, .farFile, .farUpload, .farEvents: [.value, .failure(.timedOut)]
        case .cut, .reset, .lost, .cutDownload:
            // URLSession on Linux reports the same fault with different codes.
            isCurl
                ? [.failure(.networkConnectionLost)]
                : [
                    .failure(.networkConnectionLost), .failure(.unknown),
                    .failure(.badServerResponse),
                ]
        case .garbage, .endless: [.failure(.badServerResponse)]
        default: [.value]
        }
    }
}
