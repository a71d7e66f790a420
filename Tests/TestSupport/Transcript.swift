// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The kind of a text that the library produced.
public enum TranscriptKind: String {
    case log, curl, error, har, text
}

/// Returns a text that the library produced, and records it so that it can be searched for secrets.
///
/// If `TRANSCRIPT_FOLDER` is set to the path of a folder, all texts of a kind are collected in one
/// file there. `.ci/check-secrets` searches them.
@discardableResult
public func transcribed(_ text: String, as kind: TranscriptKind) -> String {
    Transcript.append(text, to: kind.rawValue)
    return text
}

/// Returns a secret for a test to plant in a place such as "header". It contains `canary`, which
/// must not appear in any text of the library.
public func canary(_ place: String) -> String {
    Transcript.append(place, to: "planted")
    return "canary-7f3a-\(place.replacingOccurrences(of: " ", with: "-"))"
}

private enum Transcript {
    static func append(_ text: String, to name: String) {
        guard let folder = ProcessInfo.processInfo.environment["TRANSCRIPT_FOLDER"] else { return }
        // `O_APPEND` makes each write go to the end of the file, without a lock: other targets and
        // processes write to it too.
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
        let descriptor = open("\(folder)/\(name).txt", flags, 0o600)
        precondition(descriptor >= 0, "Can't open a transcript file in '\(folder)'.")
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try? file.write(contentsOf: Data("\(text)\n".utf8))
    }
}
