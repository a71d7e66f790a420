// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The pages of a list, each loaded when it is asked for: what ``ServiceProvider`` makes of a first
/// service and a way from each page to the next.
///
/// Nothing is sent before the first page is asked for, and no page before its turn. An error ends the
/// iteration, and so does cancelling the task. Each iteration starts from the first page again.
public nonisolated struct ServicePages<T: Service, Page>: AsyncSequence {
    /// One page.
    public typealias Element = Page

    let first: T
    let pipeline: ServicePipeline
    let next: (Page, ServiceResponse) -> T?
    let decode: nonisolated(nonsending) (ServiceResponse) async throws(ServiceError) -> Page

    /// Starts from the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self, service: first) }

    /// Loads one page after the other, in the isolation of whoever asks for them.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: ServicePages
        /// The one whose turn it is; nil at the end.
        var service: T?
        /// What was sent so far. The headers count too: some APIs page by `Range`.
        var sent: Set<[AnyHashable?]> = []

        /// The next page; nil after the last one, and after an error.
        ///
        /// - Throws: What `load(service:decodeType:)` throws, and
        ///   ``ServiceError/invalidRequest(_:reason:)`` for a page that was loaded before.
        public nonisolated(nonsending) mutating func next() async throws(ServiceError) -> Page? {
            guard let service = self.service.take() else { return nil }
            let request = try pages.pipeline.read(service)
            let parts = request.urlRequest
            let isNew = sent.insert([
                parts.httpMethod, parts.url?.absoluteString, parts.httpBody,
                parts.allHTTPHeaderFields,
            ]).inserted
            // A body that is not in memory cannot be compared.
            guard isNew || request.upload != nil else {
                let reason = "the pages lead back to '\(request.place)', which was loaded before"
                throw pages.pipeline.telling(of: .invalidRequest(.path, reason: reason), request)
            }
            let response = try await pages.pipeline.run(request)
            let page = try await pages.decode(response)
            self.service = pages.next(page, response)
            return page
        }

        /// The next page; nil after the last one, and after an error. As ``next()``.
        public mutating func next(
            isolation: isolated (any Actor)?
        ) async throws(ServiceError) -> Page? {
            try await next()
        }
    }
}

nonisolated extension ServiceProvider {
    /// Loads a list page by page: each one when it is asked for, and decoded off the main actor.
    ///
    /// ```swift
    /// let pages = provider.pages(from: .heroes(offset: 0), decodeType: Page.self) { page, _ in
    ///     let end = page.offset + page.results.count
    ///     return end < page.total && !page.results.isEmpty ? .heroes(offset: end) : nil
    /// }
    /// for try await page in pages { print(page.results) }
    /// ```
    ///
    /// A page that was loaded before, so that the list would never end, is an error once the pages
    /// before it are delivered. What is compared is what is sent: method, URL, headers and a body in
    /// memory. So a request that carries the time or a random number is never the same as another.
    ///
    /// An empty answer is ``ServiceError/emptyResponse(_:)``, or a nil page when the type is an Optional.
    ///
    /// - Parameters:
    ///   - service: The first page. Each service is read when its page is asked for, in the isolation of
    ///     whoever asks; it need not be `Sendable`.
    ///   - decodeType: What each page is.
    ///   - next: Makes the service of the page after this one; nil when this is the last. Called once for
    ///     each page, before it is delivered, in the isolation of whoever asks. A page that is not what
    ///     it should be is for the loop to refuse, by leaving. For a `Link` header see
    ///     `ServiceResponse.link(rel:)`.
    /// - Returns: The pages. Nothing is sent until they are iterated.
    public func pages<Page: Decodable & SendableMetatype>(
        from service: T, decodeType: Page.Type, next: @escaping (Page, ServiceResponse) -> T?
    ) -> ServicePages<T, Page> {
        .init(first: service, pipeline: pipeline, next: next) {
            [pipeline] response throws(ServiceError) in
            try await pipeline.decode(decodeType, from: response)
        }
    }

    /// Loads a list page by page, of a type whose conformance to `Decodable` belongs to an actor: each
    /// page is decoded there.
    ///
    /// - Parameters:
    ///   - service: The first page, read when it is asked for.
    ///   - decodeType: What each page is.
    ///   - next: Makes the service of the page after this one; nil when this is the last.
    /// - Returns: The pages. Nothing is sent until they are iterated.
    @_disfavoredOverload
    public func pages<Page: Decodable>(
        from service: T, decodeType: Page.Type, next: @escaping (Page, ServiceResponse) -> T?
    ) -> ServicePages<T, Page> {
        // Not a closure: the compiler would run one off the actor (Swift 6.3).
        nonisolated(nonsending) func decode(
            _ response: ServiceResponse
        ) async throws(ServiceError) -> Page {
            try pipeline.value(decodeType, in: response)
        }
        return .init(first: service, pipeline: pipeline, next: next, decode: decode)
    }
}
