// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Bytes in memory or in a file, which is read in pieces.
nonisolated struct ServiceArchiveSource: Sendable {
    let size: Int
    /// How many bytes are read at a time.
    let pieceSize: Int
    private let read: @Sendable (Range<Int>) throws -> Data

    init(_ data: Data) {
        size = data.count
        pieceSize = max(data.count, 1)
        read = { range in
            let start = data.startIndex + range.lowerBound
            return data[start..<start + range.count]
        }
    }

    /// Opens a file, which stays open.
    init(_ file: URL) throws {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try POSIXError.check(descriptor)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Not `fstat`, which an app has to declare in a privacy manifest.
        let values = try file.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey])
        guard values.isRegularFile == true else { throw POSIXError(.EINVAL) }
        // On some watches, an `Int` has 32 bits.
        guard let size = Int(exactly: try handle.seekToEnd()) else { throw POSIXError(.EFBIG) }
        self.size = size
        pieceSize = 1 << 20
        let locked = ServiceLocked(handle)
        read = { range in
            try locked.withLock { handle in
                try handle.seek(toOffset: UInt64(range.lowerBound))
                return try handle.read(upToCount: range.count) ?? Data()
            }
        }
    }

    /// Reads some bytes.
    ///
    /// - Throws: An error of the file, which may have become shorter.
    func bytes(in range: Range<Int>) throws -> Data {
        let data = range.isEmpty ? Data() : try read(range)
        guard data.count == range.count else { throw CocoaError(.fileReadCorruptFile) }
        return data
    }

    /// Reads all bytes, one piece at a time.
    func forEachPiece(_ body: (Data, _ offset: Int) throws -> Void) throws {
        for offset in stride(from: 0, to: size, by: pieceSize) {
            try body(try bytes(in: offset..<min(offset + pieceSize, size)), offset)
        }
    }
}
