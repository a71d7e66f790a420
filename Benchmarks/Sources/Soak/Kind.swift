// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// What a call asks for; its name begins the path.
enum Kind: String, CaseIterable {
    case text, value, handler, valueHandler, emptyHandler, empty, head, gzip, slow, shared
    case conditional, authorized, flaky, broken, missing, refused, cut, reset, lost, never, stalled
    case deadline, redirect, foreign, moved, loop, upload, file, multipart, download, cutDownload
    case resume, events, eventsLeft, stream, streamLeft, pages, transport
    // What URLSession on Linux does not tell from an answer, or is slow to refuse.
    case twice, garbage, endless

    static func all(curl isCurl: Bool) -> [Kind] {
        let others: Set<Kind> = [.twice, .garbage, .endless]
        return allCases.filter { isCurl || !others.contains($0) }
    }

    /// How often it is chosen.
    var weight: Int {
        switch self {
        case .text, .value, .shared, .conditional, .authorized: 6
        case .handler, .valueHandler, .upload, .gzip: 4
        case .loop, .transport, .endless, .never, .stalled, .eventsLeft: 1
        default: 2
        }
    }

    /// How it ends, unless it is cancelled before.
    func outcomes(curl isCurl: Bool) -> Set<Outcome> {
        switch self {
        case .empty, .emptyHandler: [.empty]
        case .broken: [.status(500)]
        case .missing: [.status(404)]
        case .loop: [.status(302)]
        case .refused: [.failure(.cannotConnectToHost)]
        case .never, .stalled, .deadline: [.failure(.timedOut)]
        case .cut, .reset, .lost, .cutDownload:
            // What URLSession on Linux says of the same.
            isCurl
                ? [.failure(.networkConnectionLost)]
                : [
                    .failure(.networkConnectionLost), .failure(.unknown),
                    .failure(.badServerResponse),
                ]
        case .garbage: [.failure(.unsupportedURL)]
        case .endless: [.failure(.badServerResponse)]
        default: [.value]
        }
    }
}
