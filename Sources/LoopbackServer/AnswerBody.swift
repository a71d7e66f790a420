// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The bytes of an answer's body; those that need not be in memory are made or read in pieces.
struct AnswerBody {
    private let block: Data
    private let file: InputStream?
    let length: Int

    /// Nil where a file cannot be read.
    init?(_ body: LoopbackAnswer.Body) {
        switch body {
        case .none: (block, file, length) = (Data(), nil, 0)
        case .data(let data): (block, file, length) = (data, nil, data.count)
        case .repeating(let pattern, let count):
            let repeats = max(1, 65_536 / max(1, pattern.count))
            block = Data(repeatElement(pattern, count: repeats).joined())
            (file, length) = (nil, pattern.isEmpty ? 0 : max(0, count))
        case .file(let url):
            let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard let stream = InputStream(url: url), values?.isRegularFile == true,
                let size = values?.fileSize
            else { return nil }
            stream.open()
            guard stream.streamStatus != .error else { return nil }
            (block, file, length) = (Data(), stream, size)
        }
    }

    func close() { file?.close() }

    func forEachPiece(_ use: (Data) throws(ConnectionEnd) -> Void) throws(ConnectionEnd) {
        var buffer = [UInt8](repeating: 0, count: file == nil ? 0 : 65_536)
        var left = length
        while left > 0 {
            let count = file?.read(&buffer, maxLength: min(left, buffer.count)) ?? block.count
            guard count > 0 else { throw .hungUp }  // the file has become shorter
            let piece = file == nil ? block.prefix(left) : Data(buffer.prefix(count))
            try use(piece)
            left -= piece.count
        }
    }
}
