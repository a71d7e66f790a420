// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceProvider {
    /// Loads an endpoint into a file. The body is written as it arrives and never held in memory.
    ///
    /// When this method returns, the file is complete. Until then, the bytes are in a file with another
    /// name beside it, which is removed if the download fails or is cancelled (but see
    /// ``ServiceDownloadOptions/resume``).
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - target: The file. Choose the name yourself: a name that a server suggests may lead anywhere.
    ///   - options: Default: none, which refuses to replace a file.
    /// - Returns: The response, without its body.
    /// - Throws: The same errors as `response(for:)`; `ServiceError.invalidRequest(_:reason:)` if
    ///   the file can't be created; `ServiceError.transport(_:)` with a code such as
    ///   `cannotWriteToFile` if the disk fails.
    @discardableResult
    public nonisolated(nonsending) func download(
        service: T, to target: URL, options: ServiceDownloadOptions = []
    ) async throws(ServiceError) -> ServiceResponse {
        try await pipeline.download(pipeline.makeRequest(for: service), to: target, options)
    }

    /// Loads an endpoint into a file: see ``download(service:to:options:)``.
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
    ) -> ServiceTask {
        run(service: service, completion: completion) { [pipeline] request throws(ServiceError) in
            try await pipeline.download(request, to: target, options)
        }
    }
}

nonisolated extension ServicePipeline {
    @concurrent fileprivate func download(
        _ request: ServiceRequest, to target: URL, _ options: ServiceDownloadOptions
    ) async throws(ServiceError) -> ServiceResponse {
        let part = ServicePartialFile(of: target, options)
        var request = request
        request.bodySink = part
        do throws(ServiceError) {
            // The rest of a compressed body can't be requested.
            if options.contains(.resume) { try request.setHeader("Accept-Encoding", "identity") }
            try part.create()
        } catch {
            throw reported(error, for: request)
        }
        defer { part.cleanUp() }
        var pipeline = self
        // The innermost interceptor, so that another attempt of a retry continues the file.
        pipeline.interceptors.append(part)
        let response = try await pipeline.send(request)
        do {
            try part.finish(with: response.data)
            return response
        } catch {
            throw reported(ServiceError(error), for: request)
        }
    }
}
