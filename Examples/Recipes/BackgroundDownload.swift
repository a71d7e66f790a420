// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Downloads that go on while the app is suspended or ended.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A file to download. It's stored as JSON: a token belongs into `headers`, not into a property.
///
/// Only as `Authorization`: the system follows the redirects of a background session without asking,
/// and takes all other fields along, also to another server.
nonisolated struct Episode: Service, Codable, Sendable {
    var baseURL: String
    var path: String
    /// The name of the file. Each download has its own.
    var name: String
}

/// A list of downloads. It is on disk, so that the next launch continues it.
///
///     let downloads = try BackgroundDownloads(
///         folder: folder, configuration: .background(withIdentifier: "com.example.app.episodes"))
///     downloads.start()
///     try downloads.add(episode)
///     for await _ in downloads.changes { show(downloads.list) }
///
/// Create one at each launch, and keep it. The system sends the requests, so interceptors don't see
/// them. On Linux, which has no background sessions, pass `.default`.
nonisolated final class BackgroundDownloads: NSObject, URLSessionDownloadDelegate,
    @unchecked Sendable
{
    // Unchecked, because the compiler can't see that each `var` is used only under the lock.

    enum State {
        /// Until the next `start()`. A download that was cancelled waits, too: when a person ends
        /// the app, the system cancels all of them.
        case waiting
        case running
        case finished(URL)
        /// Until `add(_:)` adds it again.
        case failed(ServiceError)
    }

    /// Has an element after each change of the list. For one loop.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private let folder: URL
    private let provider = ServiceProvider<Episode>()
    private let lock = NSLock()
    private var entries: [Entry] = []
    /// Those that run, by the IDs of their entries.
    private var tasks: [String: URLSessionTask] = [:]
    private var endedTasks: Set<Int> = []
    private var eventsHandler: (@MainActor @Sendable () -> Void)?
    private var session: URLSession?

    private struct Entry: Codable {
        /// The system keeps it with the task, so that the next launch knows what the task is for.
        var id = UUID().uuidString
        let episode: Episode
        /// Nil until the download has ended.
        var outcome: Outcome?
    }

    private enum Outcome: Codable {
        case finished
        case refused(statusCode: Int)
        case lost(code: Int)
    }

    /// - Parameter folder: For the files and the list. Only this object may use it. Not in the
    ///   caches, which the system empties.
    init(folder: URL, configuration: URLSessionConfiguration) throws {
        self.folder = folder
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        super.init()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if FileManager.default.fileExists(atPath: listFile.path) {
            entries = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: listFile))
        }
        // Now the system reports the downloads that have ended since the last launch.
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// All downloads, in the order in which they were added.
    var list: [(episode: Episode, state: State)] {
        lock.withLock { entries.map { ($0.episode, state(of: $0)) } }
    }

    /// Starts the downloads that wait. Call it at each launch, and when the app becomes active.
    func start() {
        let session = lock.withLock { self.session }
        session?.getAllTasks { [self] known in
            lock.withLock {
                for task in known {
                    adopt(task)
                }
                for entry in entries where entry.outcome == nil {
                    try? begin(entry)
                }
            }
            change.yield()
        }
    }

    /// Adds a download and starts it, unless the list has one with this name that hasn't failed.
    func add(_ episode: Episode) throws {
        let isName = !episode.name.isEmpty && !episode.name.hasPrefix(".")
        guard isName, !episode.name.contains("/") else {
            throw CocoaError(.fileWriteInvalidFileName)
        }
        // Before it is in the list: its next launch must be able to send it.
        _ = try provider.request(service: episode)
        try lock.withLock {
            if let old = entries.first(where: { $0.episode.name == episode.name }) {
                guard case .failed = state(of: old) else { return }
            }
            let entry = Entry(episode: episode)
            try save(entries.filter { $0.episode.name != episode.name } + [entry])
            try begin(entry)
        }
        change.yield()
    }

    /// Removes a download, and its file. If that fails, call it again.
    func remove(_ name: String) throws {
        try lock.withLock {
            guard let entry = entries.first(where: { $0.episode.name == name }) else { return }
            // First the file: a full disk may have no room for the list.
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            try save(entries.filter { $0.id != entry.id })
            tasks.removeValue(forKey: entry.id)?.cancel()
        }
        change.yield()
    }

    /// Call it in `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    func finishEvents(_ handler: @escaping @MainActor @Sendable () -> Void) {
        lock.withLock { eventsHandler = handler }
    }

    #if !canImport(FoundationNetworking) && !os(macOS)
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let handler = lock.withLock { eventsHandler.take() }
        Task { @MainActor in handler?() }
    }
    #endif

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        // The system removes its file when this method returns.
        end(downloadTask, hasResponse: true) { episode in
            guard episode.validStatusCodes.contains(status) else {
                return .refused(statusCode: status)
            }
            let file = folder.appendingPathComponent(episode.name)
            // There is one if the app ended before the list was written.
            try? FileManager.default.removeItem(at: file)
            do {
                try FileManager.default.moveItem(at: location, to: file)
                return .finished
            } catch {
                return .lost(code: URLError.cannotMoveFile.rawValue)
            }
        }
    }

    /// The system doesn't call it for a background session.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let old = response.url.map(ServiceRequest.origin) ?? ""
        let new = newRequest.url.map(ServiceRequest.origin) ?? ""
        guard new.hasPrefix("https:") || old.hasPrefix("http:") else {
            return completionHandler(nil)
        }
        var request = newRequest
        // Another server must get no token.
        if old != new {
            for name in (request.allHTTPHeaderFields ?? [:]).keys {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let code = (error as? URLError)?.code ?? .unknown
        end(task, hasResponse: false) { _ in
            code == .cancelled ? nil : .lost(code: code.rawValue)
        }
    }

    private func end(
        _ task: URLSessionTask, hasResponse: Bool, with outcome: (Episode) -> Outcome?
    ) {
        lock.withLock {
            endedTasks.insert(task.taskIdentifier)
            let place = entries.firstIndex { $0.id == task.taskDescription }
            guard let place, entries[place].outcome == nil else { return }
            let id = entries[place].id
            // Another one runs if this one ended before the launch, and is reported after `start()`.
            let isOther = tasks[id].map { $0.taskIdentifier != task.taskIdentifier } ?? false
            guard hasResponse || !isOther else { return }
            entries[place].outcome = outcome(entries[place].episode)
            let current = tasks.removeValue(forKey: id)
            if isOther {
                current?.cancel()
            }
            // If it fails, the next launch downloads the file again.
            try? save(entries)
        }
        change.yield()
    }

    /// Keeps a task that an earlier launch has started.
    private func adopt(_ task: URLSessionTask) {
        guard !endedTasks.contains(task.taskIdentifier) else { return }
        let entry = entries.first { $0.id == task.taskDescription && $0.outcome == nil }
        guard let entry, (tasks[entry.id] ?? task).taskIdentifier == task.taskIdentifier else {
            return task.cancel()
        }
        tasks[entry.id] = task
        task.resume()
    }

    private func begin(_ entry: Entry) throws {
        guard tasks[entry.id] == nil else { return }
        let request = try provider.request(service: entry.episode).urlRequest
        guard let task = session?.downloadTask(with: request) else { return }
        task.taskDescription = entry.id
        tasks[entry.id] = task
        task.resume()
    }

    private func state(of entry: Entry) -> State {
        switch entry.outcome {
        case nil:
            return tasks[entry.id] == nil ? .waiting : .running
        case .finished:
            return .finished(folder.appendingPathComponent(entry.episode.name))
        case .refused(let status):
            do {
                let request = try provider.request(service: entry.episode)
                return .failed(
                    .unacceptableStatus(ServiceResponse(request: request, statusCode: status)))
            } catch {
                return .failed(ServiceError(error))
            }
        case .lost(let code):
            let known: URLError.Code? = URLError.Code(rawValue: code)
            return .failed(.transport(URLError(known ?? .unknown)))
        }
    }

    private var listFile: URL { folder.appendingPathComponent(".downloads.json") }

    /// Changes the list once it is on disk.
    private func save(_ new: [Entry]) throws {
        try JSONEncoder().encode(new).write(to: listFile, options: .atomic)
        entries = new
    }
}
