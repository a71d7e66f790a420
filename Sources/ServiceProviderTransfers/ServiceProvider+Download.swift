// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Loads an endpoint into a file. The body is written as it arrives and never held in memory.
    ///
    /// When this method returns, the file is complete. Until then, the bytes are in a hidden file beside it, which is
    /// removed if the download fails or is cancelled (but see ``ServiceDownloadOptions/resume``). If the process is
    /// killed, the next download of the same file removes it. If another program replaces the hidden file or changes
    /// its size, the download fails with `URLError.cannotWriteToFile`.
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - target: The file. For the name that the server suggests, see
    ///     ``download(service:into:options:check:)``.
    ///   - options: Default: none, which refuses to replace a file.
    ///   - check: Checks the complete file before it gets its name. Default: no checks.
    /// - Returns: The response, without its body.
    /// - Throws: The same errors as `response(service:)`; `ServiceError.file(reason:)` if
    ///   the file can't be created; `ServiceError.transport(_:)` with a code such as
    ///   `cannotWriteToFile` if the disk fails; the errors of the check.
    @discardableResult
    public nonisolated(nonsending) func download(
        service: T, to target: URL, options: ServiceDownloadOptions = [],
        check: ServiceDownloadCheck = ServiceDownloadCheck()
    ) async throws -> ServiceResponse {
        let target = ServiceDownloadTarget(place: target, isFolder: false, options: options)
        let part = ServicePartialFile(target, check)
        return try await pipeline.download(request(service: service), part)
    }

    /// Loads an endpoint into a folder, as a file with the name that the server suggests
    /// (`ServiceResponse.suggestedFilename`).
    ///
    /// ```swift
    /// let file = try await provider.download(service: .report, into: folder)
    /// ```
    ///
    /// If the file already exists, the download fails as soon as the headers have arrived, unless the options have
    /// ``ServiceDownloadOptions/overwrite``. This download can't be resumed, because the name isn't known before its
    /// request: ``ServiceDownloadOptions/resume`` is an error.
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - folder: A folder.
    ///   - options: Default: none, which refuses to replace a file.
    ///   - check: Checks the complete file before it gets its name. Default: no checks.
    /// - Returns: The file, which is in this folder.
    /// - Throws: The same errors as ``download(service:to:options:check:)``.
    public nonisolated(nonsending) func download(
        service: T, into folder: URL, options: ServiceDownloadOptions = [],
        check: ServiceDownloadCheck = ServiceDownloadCheck()
    ) async throws -> URL {
        let target = ServiceDownloadTarget(place: folder, isFolder: true, options: options)
        let part = ServicePartialFile(target, check)
        return try await target.file(for: pipeline.download(request(service: service), part))
    }

    /// Loads an endpoint into a file: see ``download(service:to:options:check:)``.
    ///
    /// - Parameters:
    ///   - service: The endpoint. It's read before this method returns.
    ///   - target: The file.
    ///   - options: Default: none, which refuses to replace a file.
    ///   - check: Checks the complete file before it gets its name. Default: no checks.
    ///   - completion: Called once, on the main actor, after this method has returned; never with
    ///     `.empty`.
    /// - Returns: The call, which can be cancelled.
    @discardableResult
    public func download(
        service: T, to target: URL, options: ServiceDownloadOptions = [],
        check: ServiceDownloadCheck = ServiceDownloadCheck(),
        completion: @escaping Completion<ServiceResponse>
    ) -> Task<Void, Never> {
        let target = ServiceDownloadTarget(place: target, isFolder: false, options: options)
        let part = ServicePartialFile(target, check)
        return task(service: service, completion: completion) { [pipeline] request in
            try await pipeline.download(request, part)
        }
    }

    /// Loads an endpoint into a folder: see ``download(service:into:options:check:)``.
    ///
    /// - Parameters:
    ///   - service: The endpoint. It's read before this method returns.
    ///   - folder: A folder.
    ///   - options: Default: none, which refuses to replace a file.
    ///   - check: Checks the complete file before it gets its name. Default: no checks.
    ///   - completion: Gets the file. Called once, on the main actor, after this method has returned; never with
    ///     `.empty`.
    /// - Returns: The call, which can be cancelled.
    @discardableResult
    public func download(
        service: T, into folder: URL, options: ServiceDownloadOptions = [],
        check: ServiceDownloadCheck = ServiceDownloadCheck(),
        completion: @escaping Completion<URL>
    ) -> Task<Void, Never> {
        let target = ServiceDownloadTarget(place: folder, isFolder: true, options: options)
        let part = ServicePartialFile(target, check)
        return task(service: service, completion: completion) { [pipeline] request in
            try await target.file(for: pipeline.download(request, part))
        }
    }
}

nonisolated extension ServicePipeline {
    @concurrent fileprivate func download(
        _ request: ServiceRequest, _ part: ServicePartialFile
    ) async throws -> ServiceResponse {
        var request = request
        request.bodySink = part
        // The body of another status isn't in the file.
        request.acceptsAnyStatus = false
        // The rest of a compressed body can't be requested.
        if part.isKept {
            try request.setHeader("Accept-Encoding", to: "identity")
        }
        try part.create()
        defer { part.cleanUp() }
        var pipeline = self
        // The innermost interceptor, so that another attempt of a retry continues the file.
        pipeline.interceptors.append(part)
        let response = try await pipeline.send(request)
        // An interceptor may have accepted any status again.
        guard response.hasValidStatus else { throw ServiceError.unacceptableStatus(response) }
        do {
            // Writing to the disk and checking take long. The threads of tasks are few.
            try await Self.blocking { try part.finish(with: response) }
            return response
        } catch {
            throw ServiceError(error)
        }
    }

    /// Runs a closure that blocks its thread, on another one.
    private static func blocking(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Result(catching: work))
            }
        }
    }
}
