// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Records requests and responses in an HTTP Archive (HAR 1.2), without their secrets.
///
/// The developer tools of browsers read this format, and ``ServiceReplay`` returns its responses.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(
///     interceptors: [try ServiceRecorder(file: url)])
/// ```
///
/// The file is a valid archive after each call. A call that failed in the transport has an entry
/// with status 0; a cancelled call has none. Redirects are recorded as one entry: the first request
/// and the last response. Bodies in files and streams are left out, and so are bodies such as XML
/// and multipart forms, because secrets can't be found in them. Binary responses, such as images,
/// are recorded unchanged.
public nonisolated final class ServiceRecorder: ServiceInterceptor {
    private struct Output {
        let file: FileHandle
        /// The size of the file without the end of the archive.
        var size = UInt64(ServiceArchive.start.utf8.count)
        var failure: (any Error)?
    }

    private let file: URL
    private let clock: ServiceClock
    private let output: ServiceLocked<Output>

    /// Starts an archive.
    ///
    /// - Parameters:
    ///   - file: The file to write, readable by its owner only. An earlier archive is replaced.
    ///   - clock: The clock for times and durations. Default: the system's.
    /// - Throws: `ServiceError.invalidRequest(_:reason:)` for a file that can't be written, or that
    ///   isn't an archive and so isn't replaced.
    public init(file: URL, clock: ServiceClock = ServiceClock()) throws {
        do { output = ServiceLocked(Output(file: try Self.start(file))) } catch {
            throw Self.failure(of: file, error)
        }
        (self.file, self.clock) = (file, clock)
    }

    private static func failure(of file: URL, _ error: any Error) -> ServiceError {
        let reason = "'\(file.path)' can't be written: \(CocoaError.text(of: error))"
        return error as? ServiceError ?? .invalidRequest(.file, reason: reason)
    }

    /// Writes an empty archive. An earlier one stays if that fails.
    private static func start(_ link: URL) throws -> FileHandle {
        let file = link.resolvingSymlinksInPath()
        let manager = FileManager.default
        let type = try? manager.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        if let type {
            try ServiceError.require(
                try type == .typeRegular && isArchive(file), .file,
                "'\(link.path)' isn't an HTTP Archive, so it isn't replaced")
        }
        let folder = file.deletingLastPathComponent()
        let new = folder.appendingPathComponent(".\(UUID().uuidString).part").path
        // Created with its permissions, so that no one else can open it before they are set.
        // (FileManager on Linux sets them later.)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data((ServiceArchive.start + ServiceArchive.end).utf8))
            guard rename(new, file.path) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            unlink(new)
            throw error
        }
        return handle
    }

    /// Whether a file is an archive, or empty.
    private static func isArchive(_ file: URL) throws -> Bool {
        let data = try Data(contentsOf: file)
        let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return data.isEmpty || json?["log"] != nil
    }

    /// The error of the first entry that couldn't be written, for example because the disk is full:
    /// `ServiceError.invalidRequest(_:reason:)`.
    ///
    /// Calls don't fail because of it. Later calls aren't recorded; earlier entries stay valid.
    public var failure: (any Error)? { output.withLock { $0.failure } }

    /// Records the call, and returns its response unchanged.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = clock.now()
        var request = request
        request.notesRedirects()
        do {
            let response = try await next(request)
            record(request, response, nil, start)
            return response
        } catch {
            if case .transport(let cause) = ServiceError(error) {
                record(request, nil, cause, start)
            }
            throw error
        }
    }

    private func record(
        _ request: ServiceRequest, _ response: ServiceResponse?, _ error: URLError?, _ start: Date
    ) {
        let seconds = clock.now().timeIntervalSince(start)
        let time = seconds.isFinite ? max(seconds, 0) * 1_000 : 0
        let sent = response.map { $0.earlierRequests + [$0.request] } ?? []
        let entry = ServiceArchive.Entry(
            startedDateTime: .init(start.ISO8601Format(.init(includingFractionalSeconds: true))),
            time: .init(time), timings: .init(Self.timings(response?.metrics.last, time)),
            serverIPAddress: response?.metrics.last?.remoteAddress.map { .init($0) },
            connection: response?.metrics.last?.localPort.map { .init("\($0)") },
            request: ServiceRedactor(request).recorded(request),
            response: ServiceRedactor([request] + sent).recorded(response, error))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let end = Data(ServiceArchive.end.utf8)
        output.withLock { output in
            guard output.failure == nil else { return }
            do {
                let isFirst = output.size == ServiceArchive.start.utf8.count
                let text = Data((isFirst ? "\n" : ",\n").utf8) + (try encoder.encode(entry))
                try output.file.seek(toOffset: output.size)
                try output.file.write(contentsOf: text + end)
                output.size += UInt64(text.count)
            } catch {
                output.failure = Self.failure(of: file, error)
                try? output.file.truncate(atOffset: output.size)
                try? output.file.write(contentsOf: end)
            }
        }
    }
}

nonisolated extension ServiceRecorder {
    /// The timings of an entry in milliseconds. The time for TLS is part of `connect`.
    private static func timings(_ metrics: ServiceMetrics?, _ time: Double) -> [String: Double] {
        guard let metrics, let firstByte = metrics.firstByte else {
            return ["send": 0, "wait": time, "receive": 0]
        }
        let lookup = (metrics.nameLookup ?? 0) * 1_000
        let connect = ((metrics.connect ?? 0) + (metrics.secureConnect ?? 0)) * 1_000
        let receive = max(metrics.total - firstByte, 0) * 1_000
        // So that the sum is the time of the call.
        let wait = max(time - lookup - connect - receive, 0)
        var timings = ["send": 0, "wait": wait, "receive": receive]
        if metrics.nameLookup != nil { timings["dns"] = lookup }
        if metrics.connect != nil { timings["connect"] = connect }
        timings["ssl"] = metrics.secureConnect.map { $0 * 1_000 }
        return timings
    }
}

/// Builds the parts of an entry without their secrets.
nonisolated extension ServiceRedactor {
    private typealias Fields = ServiceArchive.Member<[ServiceArchive.Field]>

    fileprivate func recorded(_ request: ServiceRequest) -> ServiceArchive.Request {
        let sent = request.urlRequest
        let (url, body) = (redacting(sent.url?.absoluteString ?? ""), sent.httpBody ?? Data())
        let type = sent.value(forHTTPHeaderField: "Content-Type")
        var query: [ServiceArchive.Field] = []
        for item in URLComponents(string: url)?.queryItems ?? [] {
            query.append(.init(item.name, item.value ?? ""))
        }
        var recorded = ServiceArchive.Request(
            method: .init(sent.httpMethod ?? "GET"), url: .init(url),
            headers: headers(sent.allHTTPHeaderFields), queryString: .init(query),
            cookies: cookies(sent.value(forHTTPHeaderField: "Cookie"), separator: ";"),
            bodySize: .init(request.upload == nil ? body.count : -1))
        if let text = redacting(body, ofType: type), !body.isEmpty {
            recorded.postData = .init(mimeType: .init(type ?? ""), text: .init(text))
        } else if request.hasBody {
            recorded.comment = .init("The body is not recorded.")
        }
        return recorded
    }

    fileprivate func recorded(
        _ response: ServiceResponse?, _ error: URLError?
    ) -> ServiceArchive.Response {
        .init(
            status: .init(Double(response?.statusCode ?? 0)),
            headers: headers(response?.headers),
            cookies: cookies(response?.header("Set-Cookie"), separator: ","),
            content: content(of: response),
            redirectURL: .init(redacting(response?.header("Location") ?? "")),
            _error: error.map { .init("URLError \($0.code.rawValue)") })
    }

    private func content(of response: ServiceResponse?) -> ServiceArchive.Body {
        let (data, type) = (response?.data ?? Data(), response?.header("Content-Type"))
        var content = ServiceArchive.Body(
            size: .init(Double(data.count)), mimeType: .init(type ?? ""))
        let isEmpty = response?.statusCode == 204 || response?.header("Content-Length") == "0"
        let (kind, plain) = (ServiceMediaType(type), String(utf8: data))
        // The first character that isn't part of a byte order mark, or a space.
        let isXML = data.first { (0x21...0x7E).contains($0) } == UInt8(ascii: "<")
        let isKnown = type == nil && !isXML || data.isEmpty || kind.isBinary || kind.isReadable
        // Text may have secrets in any charset.
        let isText = isXML || kind.charset != nil || kind.isReadable || kind.isXMLOrMultipart
        if response?.request.deliversBody == true, data.isEmpty, !isEmpty {
            content.size = .init(-1)
            content.comment = .init("The body went elsewhere.")
        } else if isKnown,
            let text = redacting(data, ofType: type)
                ?? plain.flatMap({ redacted($0, isJSON: kind.isJSON) })
        {
            content.text = .init(text)
        } else if plain == nil, kind.isBinary || !isText {
            content.text = .init(data.base64EncodedString())
            content.encoding = .init("base64")
        } else {
            // Secrets can't be found in other text, such as XML, or in text of an unknown charset.
            content.comment = .init("The body is not recorded.")
        }
        return content
    }

    /// The names of the cookies in a header field.
    ///
    /// Doesn't use HTTPCookie, which traps at some names on Linux.
    private func cookies(_ field: String?, separator: Unicode.Scalar) -> Fields {
        var cookies: [ServiceArchive.Field] = []
        for part in (field ?? "").unicodeScalars.split(separator: separator) {
            let pair = part.prefix { $0 != ";" }
            let name = pair.prefix { $0 != "=" }
            // The rest of a date after its comma doesn't have an "=".
            if name.endIndex == pair.endIndex { continue }
            cookies.append(.init(String(name).trimmingCharacters(in: .whitespaces), "***"))
        }
        return .init(cookies)
    }

    private func headers(_ fields: [String: String]?) -> Fields {
        var headers: [ServiceArchive.Field] = []
        for (name, value) in (fields ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.append(.init(name, redacting(value, ofHeader: name)))
        }
        return .init(headers)
    }
}
