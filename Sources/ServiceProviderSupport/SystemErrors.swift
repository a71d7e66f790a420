// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension CocoaError {
    /// The text of an error of a file, without a period at its end.
    ///
    /// Foundation has no text of its own for some errors, such as a file that grows beyond the process's limit.
    /// Then it's the text of the system's error.
    package static func text(of error: any Error) -> String {
        let unknown: Set<CocoaError.Code> = [.fileReadUnknown, .fileWriteUnknown]
        var text = error.localizedDescription
        if let known = error as? CocoaError, unknown.contains(known.code) {
            text = (known.underlying ?? error).localizedDescription
        }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

nonisolated extension POSIXError {
    /// Throws the last error of the system if the result of a function is negative.
    package static func check(_ result: Int32) throws {
        guard result < 0 else { return }
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}
