// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What kind of text the library has made.
enum TranscriptKind: String {
    case log, curl, error, har, text
}

/// Hands a text of the library on, and to whoever looks through all of them for secrets: with the path
/// of a folder in `TRANSCRIPT_FOLDER`, each kind is collected in a file there. `.ci/check-secrets` does.
@discardableResult
func transcribed(_ text: String, as kind: TranscriptKind) -> String {
    Transcript.append(text, to: kind.rawValue)
    return text
}

/// A secret for a test to plant, in a place such as "header". It contains `canary`, and no text that the
/// library makes may.
func canary(_ place: String) -> String {
    Transcript.append(place, to: "planted")
    return "canary-7f3a-\(place.replacingOccurrences(of: " ", with: "-"))"
}

private enum Transcript {
    static let lock = NSLock()

    static func append(_ text: String, to name: String) {
        guard let folder = ProcessInfo.processInfo.environment["TRANSCRIPT_FOLDER"] else { return }
        let path = "\(folder)/\(name).txt"
        lock.withLock {
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
            }
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            defer { try? file.close() }
            _ = try? file.seekToEnd()
            try? file.write(contentsOf: Data("\(text)\n".utf8))
        }
    }
}
