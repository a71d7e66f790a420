// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(FoundationNetworking)

nonisolated extension ServiceBody {
    /// Throws unless a URL leads to a regular file that can be read.
    static func check(_ url: URL) throws { _ = try opened(url) }

    /// The bytes of a regular file, from the first one, and their number.
    static func opened(_ url: URL) throws -> (stream: InputStream, size: Int64) {
        let path = url.path
        let scheme = url.scheme ?? ""
        try ServiceError.require(
            url.isFileURL, of: .body, reason: "the URL's scheme is '\(scheme)', not 'file'")
        // `O_NONBLOCK`: a FIFO waits for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let problem = errno == ENOENT ? "doesn't exist" : "can't be read"
        try ServiceError.require(descriptor >= 0, of: .body, reason: "'\(path)' \(problem)")
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        let isRead = fstat(descriptor, &status) == 0
        let kind = status.st_mode & S_IFMT
        try ServiceError.require(isRead, of: .body, reason: "'\(path)' can't be read")
        try ServiceError.require(kind != S_IFDIR, of: .body, reason: "'\(path)' is a folder")
        try ServiceError.require(
            kind == S_IFREG, of: .body, reason: "'\(path)' isn't a regular file")
        let size = Int64(status.st_size)
        return (ServiceFileStream(file, path, size), size)
    }
}

/// Sends as many bytes as the file had when it was opened, or else fails with a reason. The platform's own
/// stream would just end.
private nonisolated final class ServiceFileStream: InputStream {
    private let file: FileHandle
    private let path: String
    private let size: Int64
    private var offset: Int64 = 0
    private var failure: ServiceError?

    init(_ file: FileHandle, _ path: String, _ size: Int64) {
        self.file = file
        self.path = path
        self.size = size
        super.init(data: Data())
    }

    /// Always true: URLSession treats false as the end.
    override var hasBytesAvailable: Bool { true }
    override var streamError: (any Error)? { failure }
    override var streamStatus: Stream.Status {
        guard failure == nil else { return .error }
        return super.streamStatus
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength limit: Int) -> Int {
        let rest = Int(min(Int64(limit), size - offset))
        let count = pread(file.fileDescriptor, buffer, rest, off_t(offset))
        offset += Int64(max(0, count))
        guard count <= 0, rest > 0 else { return count }
        failure = .invalidRequest(.body, reason: "'\(path)' became shorter while it was sent")
        return -1
    }
}

#else

nonisolated extension ServiceBody {
    /// Throws unless a URL leads to a regular file that can be read.
    static func check(_ url: URL) throws { _ = try regularFile(at: url) }

    /// The bytes of a regular file, from the first one, and their number.
    static func opened(_ url: URL) throws -> (stream: InputStream, size: Int64) {
        let file = try regularFile(at: url)
        return (try stream(of: file.handle, size: file.size), file.size)
    }

    private static func regularFile(at url: URL) throws -> (handle: FileHandle, size: Int64) {
        let path = url.path
        let scheme = url.scheme ?? ""
        try ServiceError.require(
            url.isFileURL, of: .body, reason: "the URL's scheme is '\(scheme)', not 'file'")
        // Not `fstat`, which an app has to declare in a privacy manifest.
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .isDirectoryKey]
        // A new URL, because URLs keep the values that they have read.
        let target = URL(fileURLWithPath: url.resolvingSymlinksInPath().path)
        let values = try? target.resourceValues(forKeys: keys)
        let isFile = values?.isRegularFile == true
        try ServiceError.require(values != nil, of: .body, reason: "'\(path)' doesn't exist")
        try ServiceError.require(
            values?.isDirectory != true, of: .body, reason: "'\(path)' is a folder")
        try ServiceError.require(isFile, of: .body, reason: "'\(path)' isn't a regular file")
        // `O_NONBLOCK`: by now, there may be a FIFO, which waits for a writer.
        let descriptor = open(target.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try ServiceError.require(descriptor >= 0, of: .body, reason: "'\(path)' can't be read")
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            // The size of the open file: another one may have its path by now.
            let size = try file.seekToEnd()
            try file.seek(toOffset: 0)
            return (file, Int64(clamping: size))
        } catch {
            throw ServiceError.invalidRequest(.body, reason: "'\(path)' can't be read")
        }
    }

    /// A stream that ends after as many bytes as the file had when it was opened, whatever is appended.
    ///
    /// Not a class of our own: what URLSession asks of one isn't documented. And a stream of the file itself
    /// would send appended bytes too.
    private static func stream(of file: FileHandle, size: Int64) throws -> InputStream {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(
            withBufferSize: 1 << 16, inputStream: &input, outputStream: &output)
        guard let input, let output else { throw CocoaError(.fileReadUnknown) }
        // Safe because only the thread uses it.
        nonisolated(unsafe) let sink = output
        let reader = ServiceWeakStream(input)
        // A thread, because writing waits for the reader.
        Thread.detachNewThread {
            // If the call fails before URLSession opens the stream, for example without a network, URLSession releases
            // it. Writing would wait for ever.
            while reader.stream?.streamStatus == .notOpen {
                Thread.sleep(forTimeInterval: 0.01)
            }
            guard reader.stream != nil else { return }
            sink.open()
            defer { sink.close() }
            var left = size
            while left > 0, let data = try? file.read(upToCount: Int(min(left, 1 << 16))) {
                guard !data.isEmpty, write(data, to: sink) else { return }
                left -= Int64(data.count)
            }
        }
        return input
    }

    /// Whether all bytes were written. If not, the reader has closed the stream.
    private static func write(_ data: Data, to output: OutputStream) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes.bindMemory(to: UInt8.self)[...]
            while let start = UnsafeBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = output.write(start, maxLength: rest.count)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

/// Refers to a stream without keeping it. Unchecked, because only its status is read.
private nonisolated final class ServiceWeakStream: @unchecked Sendable {
    weak var stream: InputStream?

    init(_ stream: InputStream) { self.stream = stream }
}
#endif
