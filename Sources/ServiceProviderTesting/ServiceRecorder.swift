// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Records requests and responses in an HTTP Archive (HAR 1.2), by default without their secrets.
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
/// and the last response. Bodies in files and streams are left out.
///
/// Secrets are hidden as in a `ServiceLog`. Bodies are left out unless they are JSON or forms, but binary responses,
/// such as pictures, are recorded unchanged. JSON may hold secrets that no name shows.
public nonisolated final class ServiceRecorder: ServiceInterceptor {
    private struct Output {
        let file: FileHandle
        /// The size of the file without the end of the archive.
        var size = UInt64(ServiceArchive.start.utf8.count)
        /// The text before the next entry.
        var separator = "\n"
        var failure: (any Error)?
    }

    private let file: URL
    private let isRedacted: Bool
    private let clock: ServiceClock
    private let output: ServiceLocked<Output>

    /// Starts an archive.
    ///
    /// - Parameters:
    ///   - file: The file to write, readable by its owner only. An earlier archive is replaced.
    ///   - isRedacted: If false, everything in memory is recorded as it is, with all secrets: use a test account.
    ///     Only request bodies that aren't UTF-8 are left out. Default: true.
    ///   - clock: The clock for times and durations. Default: the system's.
    /// - Throws: `ServiceError.file(reason:)` for a file that can't be written, or that
    ///   isn't an archive and so isn't replaced.
    public init(
        file: URL, isRedacted: Bool = true, clock: ServiceClock = ServiceClock()
    ) throws {
        do {
            output = ServiceLocked(Output(file: try Self.start(file)))
        } catch {
            throw Self.failure(of: file, error)
        }
        self.file = file
        self.isRedacted = isRedacted
        self.clock = clock
    }

    private static func failure(of file: URL, _ error: any Error) -> ServiceError {
        let reason = "'\(file.path)' can't be written: \(CocoaError.text(of: error))"
        return error as? ServiceError ?? .file(reason: reason)
    }

    /// Writes an empty archive. An earlier one stays if that fails.
    private static func start(_ link: URL) throws -> FileHandle {
        let file = link.resolvingSymlinksInPath()
        let manager = FileManager.default
        let type = try? manager.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        if let type, try type != .typeRegular || !isArchive(file) {
            let reason = "'\(link.path)' isn't an HTTP Archive, so it isn't replaced"
            throw ServiceError.file(reason: reason)
        }
        let folder = file.deletingLastPathComponent()
        let new = folder.appendingPathComponent(".\(UUID().uuidString).part").path
        // Created with its permissions, so that no one else can open it before they are set.
        // (FileManager on Linux sets them later.)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try POSIXError.check(descriptor)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data((ServiceArchive.start + ServiceArchive.end).utf8))
            try POSIXError.check(rename(new, file.path))
        } catch {
            unlink(new)
            throw error
        }
        return handle
    }

    /// Whether a file is an archive, or empty.
    private static func isArchive(_ file: URL) throws -> Bool {
        let index = try ServiceArchiveIndex(try ServiceArchiveSource(file))
        let json = try? JSONSerialization.jsonObject(with: Data(index.rest)) as? [String: Any]
        return index.rest.isEmpty || json?["log"] != nil
    }

    /// The error of the first entry that couldn't be written, for example because the disk is full:
    /// `ServiceError.file(reason:)`.
    ///
    /// Calls don't fail because of it. Later calls aren't recorded; earlier entries stay valid.
    public var failure: (any Error)? { output.withLock { $0.failure } }

    /// Records the call, and returns its response unchanged.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = clock.now()
        var request = request
        request.noteRedirects()
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
        let call = ServiceRecordedCall(
            request: request.withSecretNames(of: sent), isRedacted: isRedacted)
        let entry = ServiceArchive.Entry(
            startedDateTime: .init(start.ISO8601Format(.init(includingFractionalSeconds: true))),
            time: .init(time), timings: .init(["send": 0, "wait": time, "receive": 0]),
            request: call.recordedRequest, response: call.recorded(response, error))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let end = Data(ServiceArchive.end.utf8)
        output.withLock { output in
            guard output.failure == nil else { return }
            do {
                let text = Data(output.separator.utf8) + (try encoder.encode(entry))
                try output.file.seek(toOffset: output.size)
                try output.file.write(contentsOf: text + end)
                output.size += UInt64(text.count)
                output.separator = ",\n"
            } catch {
                output.failure = Self.failure(of: file, error)
                try? output.file.truncate(atOffset: output.size)
                try? output.file.write(contentsOf: end)
            }
        }
    }
}

/// Builds the parts of an entry.
private nonisolated struct ServiceRecordedCall {
    private typealias Fields = ServiceArchive.Member<[ServiceArchive.Field]>

    /// The first request, with the secret names of the call.
    let request: ServiceRequest
    let isRedacted: Bool

    var recordedRequest: ServiceArchive.Request {
        let sent = request.urlRequest
        let url = shown(url: sent.url?.absoluteString ?? "")
        let body = sent.httpBody ?? Data()
        let type = sent.value(forHTTPHeaderField: "Content-Type")
        var query: [ServiceArchive.Field] = []
        for item in URLComponents(string: url)?.queryItems ?? [] {
            query.append(.init(item.name, item.value ?? ""))
        }
        var recorded = ServiceArchive.Request(
            method: .init(sent.httpMethod ?? "GET"), url: .init(url),
            headers: headers(sent.allHTTPHeaderFields), queryString: .init(query),
            cookies: .init([]),
            bodySize: .init(body.isEmpty && request.hasBody ? -1 : body.count))
        if !body.isEmpty, let text = text(of: body, type) {
            recorded.postData = .init(mimeType: .init(type ?? ""), text: .init(text))
        } else if request.hasBody {
            recorded.comment = .init("The body is not recorded.")
        }
        return recorded
    }

    func recorded(_ response: ServiceResponse?, _ error: URLError?) -> ServiceArchive.Response {
        .init(
            status: .init(Double(response?.statusCode ?? 0)),
            headers: headers(response?.headers),
            cookies: .init([]),
            content: content(of: response),
            redirectURL: .init(shown(url: response?.header("Location") ?? "")),
            _error: error.map { .init("URLError \($0.code.rawValue)") })
    }

    private func content(of response: ServiceResponse?) -> ServiceArchive.Body {
        let data = response?.data ?? Data()
        let type = response?.header("Content-Type")
        var content = ServiceArchive.Body(
            size: .init(Double(data.count)), mimeType: .init(type ?? ""))
        if response?.hasDeliveredBody == true {
            content.size = .init(-1)
            content.comment = .init("The body went elsewhere.")
        } else if data.isEmpty {
            content.text = .init("")
        } else if let text = text(of: data, type) {
            content.text = .init(text)
        } else if !isRedacted || ServiceMediaType(type).isBinary(data) {
            content.text = .init(data.base64EncodedString())
            content.encoding = .init("base64")
        } else {
            content.comment = .init("The body is not recorded.")
        }
        return content
    }

    /// A body as text; nil if it's left out, or if it isn't text. A replay encodes the text in its charset.
    private func text(of body: Data, _ type: String?) -> String? {
        if isRedacted {
            return request.redacting(body, ofType: type)
        }
        guard ServiceMediaType(type).encoding == .utf8 else { return nil }
        return String(utf8: body)
    }

    private func shown(url: String) -> String {
        guard isRedacted else { return url }
        return request.redacting(url: url)
    }

    private func shown(_ value: String, ofHeader name: String) -> String {
        guard isRedacted else { return value }
        return request.redacting(value, ofHeader: name)
    }

    private func headers(_ fields: [String: String]?) -> Fields {
        let sorted = (fields ?? [:]).sorted { $0.key < $1.key }
        return .init(sorted.map { .init($0, shown($1, ofHeader: $0)) })
    }
}
