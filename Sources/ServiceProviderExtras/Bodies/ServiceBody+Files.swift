// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(UniformTypeIdentifiers)
import UniformTypeIdentifiers
#endif

nonisolated extension ServiceBody {
    /// The bytes of a file. They are never in memory as a whole.
    ///
    /// The file is opened again each time the request is sent, and its size at that time is sent. If the
    /// file becomes shorter in the meantime, the call fails. Bytes that are appended are left out.
    ///
    /// If the file is missing, not readable or not a regular file, building and sending the request throws
    /// `ServiceError.invalidRequest(_:reason:)`.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - contentType: Default: nil, which uses the extension of the file's name, or else
    ///     `application/octet-stream`. Apple's platforms know many extensions, Linux 17 common ones.
    public static func file(_ url: URL, contentType: String? = nil) -> ServiceBody {
        ServiceBody { request in
            _ = try ServiceFileReader(url)
            request.upload = { try ServiceFileStream.opened(url) }
            return contentType ?? mediaType(of: url)
        }
    }

    /// A form with files, `multipart/form-data` (RFC 7578). Each request has its own boundary.
    ///
    /// ```swift
    /// .multipart([.text("Hulk", name: "title"), .file(pictureURL, name: "picture")])
    /// ```
    ///
    /// If a part is a file, the form is written to a temporary file when it is first sent, so its files are
    /// never in memory. The temporary file is removed when the call has ended, or when the process exits.
    ///
    /// - Parameter parts: The parts, in the order they are sent.
    public static func multipart(_ parts: [Part]) -> ServiceBody {
        ServiceBody { request in
            // 192 random bits: no part contains the boundary by chance, and the author of a part's
            // content can't guess it.
            let words = (0..<3).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
            let boundary = words.joined()
            var pieces: [FormFile.Piece] = []
            var bytes = Data()
            for part in parts {
                bytes += Data("--\(boundary)\r\n\(try part.head())\r\n\r\n".utf8)
                if let file = part.file {
                    _ = try ServiceFileReader(file)
                    pieces.append((bytes, file))
                    bytes = Data()
                }
                bytes += try part.content.get() + Data("\r\n".utf8)
            }
            bytes += Data("--\(boundary)--\r\n".utf8)
            let form = FormFile(pieces + [(bytes, nil)])
            if pieces.isEmpty {
                request.urlRequest.httpBody = bytes
            } else {
                request.upload = { try form.opened() }
            }
            // As a header, because a service's own Content-Type wouldn't have the boundary.
            try request.setHeader("Content-Type", to: "multipart/form-data; boundary=\(boundary)")
            return nil
        }
    }

    /// A part of a form: see `ServiceBody.multipart(_:)`.
    public struct Part: Sendable {
        fileprivate let name: String
        fileprivate var fileName: String?
        fileprivate var contentType: String?
        fileprivate var file: URL?
        fileprivate var content: Result<Data, any Error> = .success(Data())

        /// A form field with a text in UTF-8.
        public static func text(_ text: String, name: String) -> Part {
            .data(Data(text.utf8), name: name)
        }

        /// Bytes as they are.
        ///
        /// - Parameters:
        ///   - data: The bytes.
        ///   - name: The name of the form's field.
        ///   - fileName: If set, the server sees a file. Default: nil.
        ///   - contentType: Default: nil, which means text (RFC 7578, section 4.4).
        public static func data(
            _ data: Data, name: String, fileName: String? = nil, contentType: String? = nil
        ) -> Part {
            Part(
                name: name, fileName: fileName, contentType: contentType, content: .success(data))
        }

        /// A value as JSON, which is encoded immediately. Default: an encoder that sorts keys.
        public static func json(
            _ value: some Encodable, name: String, encoder: JSONEncoder = ServiceBody.sortingEncoder
        ) -> Part {
            Part(
                name: name, contentType: "application/json",
                content: Result { try encoder.encode(value) })
        }

        /// A file: see `ServiceBody.file(_:contentType:)`.
        ///
        /// - Parameters:
        ///   - url: A file URL.
        ///   - name: The name of the form's field.
        ///   - fileName: The name that the server sees. Default: nil, which uses the last part of the URL.
        ///   - contentType: Default: nil, which uses the extension of the URL.
        public static func file(
            _ url: URL, name: String, fileName: String? = nil, contentType: String? = nil
        ) -> Part {
            Part(
                name: name, fileName: fileName ?? url.lastPathComponent,
                contentType: contentType ?? mediaType(of: url), file: url)
        }

        fileprivate func head() throws -> String {
            var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
            if let fileName {
                head += "; filename=\"\(Self.escaped(fileName))\""
            }
            guard let contentType else { return head }
            try ServiceRequest.validate(header: "Content-Type", value: contentType)
            return head + "\r\nContent-Type: \(contentType)"
        }

        /// Escapes a name as browsers do (WHATWG HTML, "multipart/form-data encoding algorithm"), but a
        /// line feed doesn't become two characters. Other characters are sent as UTF-8.
        private static func escaped(_ name: String) -> String {
            [("\"", "%22"), ("\r", "%0D"), ("\n", "%0A")].reduce(name) { name, escape in
                name.replacingOccurrences(of: escape.0, with: escape.1, options: .literal)
            }
        }
    }

    fileprivate static func mediaType(of url: URL) -> String {
        let ending = url.pathExtension.lowercased()
        #if canImport(UniformTypeIdentifiers)
        let type = UTType(filenameExtension: ending)?.preferredMIMEType
        #else
        let type = [
            "css": "text/css", "csv": "text/csv", "gif": "image/gif", "html": "text/html",
            "jpeg": "image/jpeg", "jpg": "image/jpeg", "json": "application/json",
            "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
            "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
            "txt": "text/plain", "webp": "image/webp", "xml": "application/xml",
            "zip": "application/zip",
        ][ending]
        #endif
        return type ?? "application/octet-stream"
    }
}

nonisolated extension ServiceBody.Part: CustomReflectable {
    /// Empty, because `print` and `dump` would show the content.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A form in a temporary file. The file is written when the form is first sent, and removed with this object.
private nonisolated final class FormFile: Sendable {
    typealias Piece = (bytes: Data, file: URL?)

    private static let paths = ServiceLocked<Set<String>>([])
    private static let removalAtExit = atexit {
        for path in paths.withLock({ $0 }) {
            unlink(path)
        }
    }

    private let pieces: [Piece]
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)
    private let isWritten = ServiceLocked(false)

    init(_ pieces: [Piece]) { self.pieces = pieces }

    deinit {
        unlink(url.path)
        Self.paths.withLock { paths in
            _ = paths.remove(url.path)
        }
    }

    /// Written once, so that the same bytes are sent each time.
    func opened() throws -> (stream: InputStream, size: Int64) {
        try isWritten.withLock { isWritten in
            guard !isWritten else { return }
            try write()
            isWritten = true
        }
        return try ServiceFileStream.opened(url)
    }

    private func write() throws {
        _ = Self.removalAtExit
        Self.paths.withLock { paths in
            _ = paths.insert(url.path)
        }
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try ServiceError.require(
            descriptor >= 0, of: .body, reason: "the temporary file '\(url.path)' can't be created")
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        for (bytes, file) in pieces {
            try append(bytes, to: output)
            guard let file else { continue }
            let reader = try ServiceFileReader(file)
            while true {
                try Task.checkCancellation()
                let count = buffer.withUnsafeMutableBufferPointer { reader.read(into: $0) }
                if let failure = reader.failure { throw failure }
                guard count > 0 else { break }
                try append(buffer.prefix(count), to: output)
            }
        }
    }

    private func append(_ bytes: some DataProtocol, to output: FileHandle) throws {
        do { try output.write(contentsOf: bytes) } catch {
            let text = CocoaError.text(of: error)
            throw ServiceError.invalidRequest(
                .body, reason: "the temporary file '\(url.path)' can't be written: \(text)")
        }
    }
}
