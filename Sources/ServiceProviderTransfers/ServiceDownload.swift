// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Loads an endpoint into a file. The body is written as it arrives and never held in memory.
    ///
    /// When this method returns, the file is complete. Until then, the bytes are in a file with another
    /// name beside it, which is removed if the download fails or is cancelled (but see
    /// ``ServiceDownloadOptions/resume``).
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - target: The file. For the name that the server suggests, see
    ///     ``download(service:into:overwrite:check:)``.
    ///   - options: Default: none, which refuses to replace a file.
    ///   - check: Checks the complete file before it gets its name. Default: no checks.
    /// - Returns: The response, without its body.
    /// - Throws: The same errors as `response(for:)`; `ServiceError.invalidRequest(_:reason:)` if
    ///   the file can't be created; `ServiceError.transport(_:)` with a code such as
    ///   `cannotWriteToFile` if the disk fails; the errors of the check.
    @discardableResult
    public nonisolated(nonsending) func download(
        service: T, to target: URL, options: ServiceDownloadOptions = [],
        check: ServiceDownloadCheck = ServiceDownloadCheck()
    ) async throws -> ServiceResponse {
        let target = ServiceDownloadTarget(place: target, isFolder: false, options: options)
        let file = ServicePartialFile(target, check)
        return try await pipeline.download(request(for: service), file)
    }

    /// Loads an endpoint into a folder, as a file with the name that the server suggests
    /// (`ServiceResponse.suggestedFilename`).
    ///
    /// ```swift
    /// let file = try await provider.download(service: .report, into: folder)
    /// ```
    ///
    /// If the file already exists and `overwrite` is false, the download fails as soon as the
    /// headers have arrived. This download can't be resumed, because the name isn't known before
    /// its request.
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - folder: A folder that exists.
    ///   - overwrite: Whether to replace a file with this name. Default: false.
    ///   - check: Checks the complete file before it gets its name. Default: no checks.
    /// - Returns: The file, which is in this folder.
    /// - Throws: The same errors as ``download(service:to:options:check:)``.
    public nonisolated(nonsending) func download(
        service: T, into folder: URL, overwrite: Bool = false,
        check: ServiceDownloadCheck = ServiceDownloadCheck()
    ) async throws -> URL {
        let options: ServiceDownloadOptions = overwrite ? .overwrite : []
        let target = ServiceDownloadTarget(place: folder, isFolder: true, options: options)
        let part = ServicePartialFile(target, check)
        return try await target.file(for: pipeline.download(request(for: service), part))
    }

    /// Loads an endpoint into a file: see ``download(service:to:options:check:)``.
    ///
    /// - Parameters:
    ///   - service: The endpoint. It's read before this method returns.
    ///   - target: The file.
    ///   - options: Default: none, which refuses to replace a file.
    ///   - completion: Called once, on the main actor, after this method has returned; never with
    ///     `.empty`.
    /// - Returns: The call, which can be cancelled.
    @discardableResult
    public func download(
        service: T, to target: URL, options: ServiceDownloadOptions = [],
        completion: @escaping Completion<ServiceResponse>
    ) -> Task<Void, Never> {
        let target = ServiceDownloadTarget(place: target, isFolder: false, options: options)
        let file = ServicePartialFile(target, ServiceDownloadCheck())
        return run(service: service, completion: completion) {
            [pipeline] request in try await pipeline.download(request, file)
        }
    }
}

nonisolated extension ServicePipeline {
    @concurrent fileprivate func download(
        _ request: ServiceRequest, _ part: ServicePartialFile
    ) async throws -> ServiceResponse {
        var request = request
        request.bodySink = part
        // The rest of a compressed body can't be requested.
        if part.isKept {
            try request.setHeader("Accept-Encoding", "identity")
        }
        try part.create()
        defer { part.cleanUp() }
        var pipeline = self
        // The innermost interceptor, so that another attempt of a retry continues the file.
        pipeline.interceptors.append(part)
        let response = try await pipeline.send(request)
        do {
            try part.finish(with: response)
            return response
        } catch {
            throw ServiceError(error)
        }
    }
}
