// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Memory for one large body. Its `Data` shares the memory, which returns to the pool with the last
/// of them.
final class CurlBuffer: @unchecked Sendable {
    // Unchecked, because the compiler can't see that the loop's thread fills it before anyone reads it.
    private let memory: UnsafeMutableRawBufferPointer
    private let pool: CurlBuffers
    private var count = 0

    fileprivate init(_ memory: UnsafeMutableRawBufferPointer, _ pool: CurlBuffers) {
        self.memory = memory
        self.pool = pool
    }

    deinit { pool.keep(memory) }

    /// Appends bytes. Returns false if they don't fit.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= memory.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
        return true
    }

    /// The bytes, without a copy.
    var data: Data {
        guard let start = memory.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: start, count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} })
    }
}

/// Keeps the memory of large bodies for later ones. Otherwise, malloc returns it to the system, and
/// getting its pages again takes longer than receiving the body.
final class CurlBuffers: @unchecked Sendable {
    /// The sizes of bodies that get such memory, in bytes.
    private static let sizes = 1 << 16...1 << 22
    /// How much is kept, in bytes.
    private static let limit = 16 << 20

    private let lock = NSLock()
    // Used only under the lock.
    private var kept: [UnsafeMutableRawBufferPointer] = []
    private var keptSize = 0

    deinit {
        for memory in kept {
            memory.deallocate()
        }
    }

    /// Returns memory for a body of this size; nil if it is too small or too large for the pool.
    func take(_ size: Int64) -> CurlBuffer? {
        guard let size = Int(exactly: size), Self.sizes.contains(size) else { return nil }
        // Rounded up to a power of two, so that bodies of similar sizes share memory.
        let rounded = 1 << (Int.bitWidth - (size - 1).leadingZeroBitCount)
        let memory = lock.withLock { () -> UnsafeMutableRawBufferPointer? in
            guard let index = kept.lastIndex(where: { $0.count == rounded }) else { return nil }
            keptSize -= rounded
            return kept.remove(at: index)
        }
        return CurlBuffer(memory ?? .allocate(byteCount: rounded, alignment: 16), self)
    }

    fileprivate func keep(_ memory: UnsafeMutableRawBufferPointer) {
        let isKept = lock.withLock {
            guard keptSize + memory.count <= Self.limit else { return false }
            keptSize += memory.count
            kept.append(memory)
            return true
        }
        if !isKept {
            memory.deallocate()
        }
    }
}
#endif
