// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Returns recorded responses from an HTTP Archive (HAR), and sends nothing.
///
/// The archive comes from ``ServiceRecorder`` or from the developer tools of a browser. Put this
/// interceptor last in the list.
///
/// An entry matches a request with the same method and URL, and with the same body if the entry has one.
/// The order of query items and JSON members doesn't matter. A secret that the archive has as `***`
/// matches any value. If several entries match, each is used once, in order; after that, the last one
/// is used again. Redirects are followed inside the archive, as `ServiceRequest.onRedirect`
/// decides. An entry with status 0 throws a `URLError`.
///
/// An archive may be large: only one entry at a time is in memory. A body may also be in a file in the
/// archive's folder, or in a folder inside it, as Playwright writes it (`content._file`). Such a
/// file is read in pieces, so a download of it takes little memory.
public nonisolated final class ServiceReplay: ServiceInterceptor, CustomReflectable {
    private let keys: [ServiceRequestKey]
    private let archive: ServiceArchiveSource
    /// Where each entry is in the archive.
    private let places: [Range<Int>]
    /// Where the files of bodies are; nil for an archive in memory.
    private let folder: URL?
    private let entries: ServiceLocked<Entries>

    private struct Entries {
        /// Whether each entry has been returned.
        var isUsed: [Bool]
        var groups: [ServiceRequestKey: Group] = [:]
    }

    /// The entries with the same key.
    private struct Group {
        /// Ascending.
        var numbers: [Int] = []
        /// All entries before this place are used.
        var start = 0
    }

    /// Reads an archive. The file stays open, and mustn't change.
    ///
    /// - Throws: `ServiceError.file(reason:)` when the file can't be read;
    ///   ``ServiceReplayError/invalidArchive(_:)``.
    public convenience init(file: URL) throws {
        do {
            let archive = try ServiceArchiveSource(file)
            try self.init(archive, folder: file.deletingLastPathComponent())
        } catch  where !(error is ServiceReplayError) {
            let reason = "'\(file.path)' can't be read: \(CocoaError.text(of: error))"
            throw ServiceError.file(reason: reason)
        }
    }

    /// Reads an archive that is in memory. It can't have bodies in files.
    ///
    /// - Throws: ``ServiceReplayError/invalidArchive(_:)``.
    public convenience init(data: Data) throws {
        try self.init(ServiceArchiveSource(data), folder: nil)
    }

    private init(_ archive: ServiceArchiveSource, folder: URL?) throws {
        let places = try Self.places(in: archive)
        var keys: [ServiceRequestKey] = []
        for (number, place) in places.enumerated() {
            let data = try archive.bytes(in: place)
            keys.append(try ServiceRecordedEntry(data, number: number).key)
        }
        var entries = Entries(isUsed: keys.map { _ in false })
        for (number, key) in keys.enumerated() {
            var anyBody = key
            anyBody.body = .any
            entries.groups[key, default: Group()].numbers.append(number)
            entries.groups[anyBody, default: Group()].numbers.append(number)
        }
        self.entries = ServiceLocked(entries)
        self.keys = keys
        self.archive = archive
        self.places = places
        self.folder = folder
    }

    /// Finds the entries, and checks the rest of the archive.
    private static func places(in archive: ServiceArchiveSource) throws -> [Range<Int>] {
        let index = try ServiceArchiveIndex(archive)
        let rest: ServiceArchive
        do {
            rest = try JSONDecoder().decode(ServiceArchive.self, from: Data(index.rest))
        } catch {
            throw ServiceReplayError.invalidArchive(ServiceReplayError.reason(for: error))
        }
        // The index finds none of the entries in UTF-16, which JSONDecoder reads.
        guard rest.log.entries.isEmpty else {
            throw ServiceReplayError.invalidArchive("it isn't UTF-8")
        }
        return index.entries
    }

    /// Empty, because `dump` would print the responses.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Returns a recorded response. Never calls `next`.
    ///
    /// - Throws: ``ServiceReplayError/unmatched(_:nearest:)``, ``ServiceReplayError/bodyMissing(_:)``, and
    ///   ``ServiceReplayError/invalidArchive(_:)`` if the file has changed.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        var count = 1
        while true {
            let response = try entry(for: request).response(to: request, folder: folder)
            guard try request.redirect(by: response, count: count) else { return response }
            count += 1
        }
    }

    /// The first unused entry for a request, or else the last one.
    private func entry(for request: ServiceRequest) throws -> ServiceRecordedEntry {
        let forms = ServiceRequestKey.forms(of: request)
        let found = entries.withLock { entries -> Int? in
            var unused: Int?
            var last: Int?
            for form in forms {
                guard let group = entries.groups[form] else { continue }
                let numbers = group.numbers
                let rest = numbers[group.start...]
                let start = rest.firstIndex { !entries.isUsed[$0] } ?? numbers.count
                entries.groups[form]?.start = start
                if start < numbers.count {
                    unused = min(unused ?? .max, numbers[start])
                }
                last = max(last ?? 0, numbers[numbers.count - 1])
            }
            guard let number = unused ?? last else { return nil }
            entries.isUsed[number] = true
            return number
        }
        guard let found else {
            throw ServiceReplayError.unmatched(
                "\(request)", nearest: nearest(to: forms, for: request))
        }
        let changed = ServiceReplayError.invalidArchive("it has changed since it was opened")
        guard let data = try? archive.bytes(in: places[found]),
            let entry = try? ServiceRecordedEntry(data, number: found)
        else { throw changed }
        guard entry.key == keys[found] else { throw changed }
        return entry
    }

    /// The entry with the fewest differences, and their names. A different path counts most, then the
    /// number of differences, then the length of the path's common start.
    ///
    /// - Parameter request: Decides which parts of a path are secret.
    private func nearest(to forms: [ServiceRequestKey], for request: ServiceRequest) -> String? {
        var nearest: (rank: (Int, Int, Int), text: String)?
        for key in keys {
            for form in forms {
                let names = form.differences(from: key)
                let common = zip(key.path.utf8, form.path.utf8).prefix { $0 == $1 }.count
                let paths = names.filter { $0 == "path" }.count
                let rank = (paths, names.count, -common)
                if let nearest, nearest.rank <= rank {
                    continue
                }
                let path = request.redacting(url: key.path)
                let differences = names.joined(separator: ", ")
                nearest = (rank, "'\(key.method) \(path)', differs in: \(differences)")
            }
        }
        return nearest?.text
    }
}

/// An error of ``ServiceReplay``.
public nonisolated enum ServiceReplayError: LocalizedError, Equatable {
    /// The file isn't an HTTP Archive, or has changed. The text says why, and names the entry and the
    /// member.
    case invalidArchive(String)
    /// No entry matches this request. Names the most similar entry and its differences; nil if the
    /// archive is empty.
    case unmatched(String, nearest: String?)
    /// The response to this request was recorded without its body. The body went to a file or a stream,
    /// it was text that isn't JSON or a form, or the browser hadn't kept it.
    case bodyMissing(String)

    /// A sentence for people. Never contains a secret.
    public var errorDescription: String? {
        switch self {
        case .invalidArchive(let reason): "The file isn't an HTTP Archive: \(reason)."
        case .unmatched(let request, let nearest?):
            "The archive has no entry for '\(request)'; the nearest, \(nearest)."
        case .unmatched(let request, nil):
            "The archive has no entry for '\(request)'; it's empty."
        case .bodyMissing(let request):
            "The archive doesn't contain the body of the response to '\(request)'."
        }
    }

    /// Describes an error of decoding: names the member, and its entry.
    ///
    /// - Parameter place: The place of the decoded part; empty for the whole archive.
    static func reason(for error: any Error, in place: String = "") -> String {
        func name(_ path: [any CodingKey]) -> String {
            let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
            let all = place.isEmpty ? names : [place] + names
            guard !all.isEmpty else { return "the archive" }
            return "'\(all.joined(separator: "."))'"
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "\(name(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context):
            return "\(name(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context):
            return "\(name(context.codingPath)) has the wrong type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(name(context.codingPath)) isn't a valid value"
        default: return "it isn't JSON"
        }
    }
}
