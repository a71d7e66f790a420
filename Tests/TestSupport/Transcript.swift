// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What kind of text the library has made.
public enum TranscriptKind: String {
    case log, curl, error, har, text
}

/// Hands a text of the library on, and to whoever looks through all of them for secrets: with the path
/// of a folder in `TRANSCRIPT_FOLDER`, each kind is collected in a file there. `.ci/check-secrets` does.
@discardableResult
public func transcribed(_ text: String, as kind: TranscriptKind) -> String {
    Transcript.append(text, to: kind.rawValue)
    return text
}

/// A secret for a test to plant, in a place such as "header". It contains `canary`, and no text that the
/// library makes may.
public func canary(_ place: String) -> String {
    Transcript.append(place, to: "planted")
    return "canary-7f3a-\(place.replacingOccurrences(of: " ", with: "-"))"
}

private enum Transcript {
    static func append(_ text: String, to name: String) {
        guard let folder = ProcessInfo.processInfo.environment["TRANSCRIPT_FOLDER"] else { return }
        // The system puts each text behind the others, without a lock: other targets and processes
        // write there too.
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
        let descriptor = open("\(folder)/\(name).txt", flags, 0o600)
        precondition(descriptor >= 0, "Nobody could look through what is not there.")
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try? file.write(contentsOf: Data("\(text)\n".utf8))
    }
}
