// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An entry of an archive, with the response as a transport would deliver it.
nonisolated struct ServiceRecordedEntry {
    let key: ServiceRequestKey
    private let status: Int
    private var headers: [String: String]
    private let body: Data
    /// The file that has the body, relative to the archive.
    private let bodyFile: String?
    private let isBodyMissing: Bool
    /// The error to throw if the status is 0.
    private let failure: URLError

    /// Where the response is in the archive, for errors.
    private let place: String

    /// - Parameters:
    ///   - data: The JSON of the entry.
    ///   - number: Its number in the archive, for errors.
    /// - Throws: ``ServiceReplayError/invalidArchive(_:)``.
    init(_ data: Data, number: Int) throws {
        let place = "log.entries.\(number)"
        do {
            let entry = try JSONDecoder().decode(ServiceArchive.Entry.self, from: data)
            try self.init(entry, place + ".response")
        } catch  where !(error is ServiceReplayError) {
            let reason = ServiceReplayError.reason(for: error, in: place)
            throw ServiceReplayError.invalidArchive(reason)
        }
    }

    private init(_ entry: ServiceArchive.Entry, _ place: String) throws {
        key = try ServiceRequestKey(entry.request)
        self.place = place
        let response = entry.response
        let content = response?.content
        let number = try response?.status?.get() ?? 0
        guard let status = Int(exactly: number), status == 0 || (100...999).contains(status) else {
            let number = String(format: "%g", number)
            throw ServiceReplayError.invalidArchive(
                "'\(place).status' isn't a status code: \(number)")
        }
        self.status = status
        let code = try response?._error?.get().split(separator: " ").last.flatMap { Int($0) }
        failure = URLError(code.flatMap { URLError.Code(rawValue: $0) } ?? .unknown)
        // RFC 9110, section 6.4.1.
        let isHead = try entry.request.method.get() == "HEAD"
        let hasBody = !isHead && status >= 200 && status != 204 && status != 304
        let text = try content?.text?.get()
        bodyFile = try hasBody && text == nil ? content?._file?.get() : nil
        isBodyMissing =
            try hasBody && text == nil && bodyFile == nil && (content?.size?.get() ?? 0) != 0
        headers = try Self.headers(response?.headers?.get() ?? [], isHead: isHead, place)
        let name = headers.keys.first { $0.lowercased() == "content-type" } ?? "Content-Type"
        let type = ServiceMediaType(try headers[name] ?? content?.mimeType?.get())
        let shown = hasBody ? text ?? "" : ""
        if try content?.encoding?.get().lowercased() == "base64" {
            guard let data = Data(base64Encoded: shown) else {
                throw ServiceReplayError.invalidArchive("'\(place).content.text' isn't Base64")
            }
            body = data
        } else if let encoding = type.encoding, let data = shown.data(using: encoding) {
            body = data
        } else {
            // The text can't be written in its charset, so the header has to name the one in use.
            body = Data(shown.utf8)
            headers[name] = "\(type.name); charset=utf-8"
        }
    }

    /// The header fields that a transport would deliver.
    private static func headers(
        _ fields: [ServiceArchive.Field], isHead: Bool, _ place: String
    ) throws -> [String: String] {
        // The body is recorded decompressed and without framing. A response to HEAD has no body: there,
        // these fields describe the body of a GET.
        let framing = isHead ? [] : ["content-encoding", "content-length"]
        let dropped = framing + ["transfer-encoding"]
        var names: [String: String] = [:]
        var values: [String: [String]] = [:]
        for (index, field) in fields.enumerated() {
            let name = try field.name.get()
            let key = name.lowercased()
            if key.hasPrefix(":") || dropped.contains(key) {
                continue
            }
            let isToken = (try? ServiceRequest.validate(header: key, value: "")) != nil
            guard isToken || key == "content-length" else {
                throw ServiceReplayError.invalidArchive(
                    "'\(place).headers.\(index).name' isn't a valid header name")
            }
            names[key] = names[key] ?? name
            // Chrome joins the values of a repeated field by line feeds. Other line breaks and NUL become
            // spaces (RFC 9110, section 5.5).
            for line in try field.value.get().utf8.split(separator: UInt8(ascii: "\n")) {
                let parts = line.split(omittingEmptySubsequences: false) { [0, 0x0D].contains($0) }
                let value = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
                values[key, default: []].append(value.trimmingCharacters(in: .whitespaces))
            }
        }
        let headers = names.map { ($1, values[$0, default: []].joined(separator: ", ")) }
        return Dictionary(uniqueKeysWithValues: headers)
    }

    /// Returns the response, or throws the recorded error.
    ///
    /// - Parameter folder: Where files of bodies are; nil if the archive can't have any.
    func response(to request: ServiceRequest, folder: URL?) throws -> ServiceResponse {
        guard status > 0 else { throw failure }
        guard !isBodyMissing else { throw ServiceReplayError.bodyMissing("\(request)") }
        var source = ServiceArchiveSource(body)
        if let bodyFile {
            guard let folder else { throw ServiceReplayError.bodyMissing("\(request)") }
            source = try open(bodyFile, in: folder)
        }
        return try request.makeResponse(status, headers, source)
    }

    /// Opens the file of the body, which must be below the folder: an archive from someone else mustn't
    /// show other files.
    private func open(_ name: String, in folder: URL) throws -> ServiceArchiveSource {
        let member = "'\(place).content._file'"
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isBelow = !parts.contains { ["", ".", ".."].contains($0) }
        // A symbolic link may lead elsewhere.
        let root = folder.resolvingSymlinksInPath()
        let file = root.appendingPathComponent(name).resolvingSymlinksInPath()
        guard isBelow, file.path.hasPrefix("\(root.path)/") else {
            throw ServiceReplayError.invalidArchive("\(member) isn't a file beside the archive")
        }
        do {
            return try ServiceArchiveSource(file)
        } catch {
            let text = CocoaError.text(of: error)
            throw ServiceReplayError.invalidArchive("\(member) can't be read: \(text)")
        }
    }
}
