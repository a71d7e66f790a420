// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The pages of a list. Each page is loaded when the loop gets to it.
///
/// An error ends the iteration, and so does cancelling the task. Each iteration starts with the first
/// page. See `ServiceProvider.pages(service:decodeType:next:)`.
public nonisolated struct ServicePages<T: Service, Page>: AsyncSequence {
    /// One page.
    public typealias Element = Page

    let first: T
    let pipeline: ServicePipeline
    let next: (Page, ServiceResponse) throws -> T?
    let decode: nonisolated(nonsending) (ServiceResponse) async throws -> Page

    /// Starts with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self, service: first) }

    /// Loads one page after the other, in the isolation of the caller.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: ServicePages
        /// The next page's service; nil at the end.
        var service: T?
        /// The requests so far.
        var sent: Set<ServicePageKey> = []

        /// The next page; nil after the last one, and after an error.
        ///
        /// - Throws: The errors of `load(service:decodeType:)`, and
        ///   `ServiceError.invalidRequest(_:reason:)` for a page that was loaded before. An error of the closure
        ///   that chooses the next page, wrapped by `ServiceError.init(_:)`.
        public nonisolated(nonsending) mutating func next() async throws -> Page? {
            guard let service = self.service.take() else { return nil }
            let request = try ServiceProvider<T>(pages.pipeline).request(service: service)
            let isNew = sent.insert(ServicePageKey(request.urlRequest)).inserted
            // A body that isn't in memory can't be compared.
            let isStream = request.upload != nil || request.urlRequest.httpBodyStream != nil
            guard isNew || isStream else {
                let reason = "the page '\(request)' was requested twice"
                throw ServiceError.invalidRequest(.path, reason: reason)
            }
            let response = try await pages.pipeline.send(request)
            let page = try await pages.decode(response)
            do {
                self.service = try pages.next(page, response)
                return page
            } catch {
                throw ServiceError(error)
            }
        }

        /// The next page; nil after the last one, and after an error. The same as ``next()``.
        public mutating func next(isolation: isolated (any Actor)?) async throws -> Page? {
            try await next()
        }
    }
}

/// A digest of the parts of a page's request that make it different from others. The parts themselves would need much
/// memory for many pages.
nonisolated struct ServicePageKey: Hashable {
    // Two digests, because one has only 32 bits on some watches.
    private let first: Int
    private let second: Int

    init(_ request: URLRequest) {
        let parts = Self.parts(of: request)
        first = Self.digest(parts, salt: 1)
        second = Self.digest(parts, salt: 2)
    }

    /// The method, URL, headers and body. The headers, because some APIs page by `Range`. As bytes, because texts with
    /// other bytes are equal if they look the same.
    private static func parts(of request: URLRequest) -> [Data] {
        let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let fields = headers.flatMap { [$0.key, $0.value] }
        let texts = [request.httpMethod ?? "", request.url?.absoluteString ?? ""] + fields
        return texts.map { Data($0.utf8) } + [request.httpBody ?? Data()]
    }

    private static func digest(_ parts: [Data], salt: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(salt)
        for part in parts {
            hasher.combine(part.count)
            // All bytes: the hash of `Data` has only the first ones.
            part.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }
}

nonisolated extension ServicePages: CustomReflectable {
    /// Empty: systems before macOS 15 and iOS 18 can't reflect the closure that decodes a page.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension ServiceProvider {
    /// Loads a list page by page. Each page is loaded when the loop gets to it, and decoded off the main
    /// actor.
    ///
    /// ```swift
    /// let pages = provider.pages(service: .heroes(offset: 0), decodeType: Page.self) { page, _ in
    ///     let end = page.offset + page.results.count
    ///     return end < page.total && !page.results.isEmpty ? .heroes(offset: end) : nil
    /// }
    /// for try await page in pages { print(page.results) }
    /// ```
    ///
    /// Requesting the same page twice is an error, which prevents endless loops. Two requests are the
    /// same if their method, URL, headers and body in memory are. A request that carries the time or a
    /// random number is never the same as another.
    ///
    /// An empty response throws `ServiceError.emptyResponse(_:)`, or is a nil page if the type is
    /// an Optional.
    ///
    /// - Parameters:
    ///   - service: The first page. Each service is read when its page is requested, in the isolation of
    ///     the caller. It needn't be `Sendable`.
    ///   - decodeType: The type of a page.
    ///   - next: Returns the service of the following page; nil after the last page. Called once for
    ///     each page, before it is delivered, in the isolation of the caller. If the next page can't be
    ///     loaded, such as for a link to another host, throw an error: nil would look like the end of the
    ///     list. For a `Link` header see `ServiceResponse.link(rel:)`.
    /// - Returns: The pages. Nothing is sent until they are iterated.
    public func pages<Page: Decodable & SendableMetatype>(
        service: T, decodeType: Page.Type, next: @escaping (Page, ServiceResponse) throws -> T?
    ) -> ServicePages<T, Page> {
        .init(first: service, pipeline: pipeline, next: next) { response in
            try await response.decodeConcurrently(decodeType)
        }
    }

    /// Loads a list page by page, and decodes each page where the type allows it. The compiler chooses this method in
    /// generic code, and for a type whose `Decodable` conformance is isolated to an actor.
    ///
    /// - Parameters:
    ///   - service: The first page, read when it is requested.
    ///   - decodeType: The type of a page.
    ///   - isolation: The caller's isolation. Leave it out, as in `load(service:decodeType:isolation:)`.
    ///   - next: Returns the service of the following page; nil after the last page.
    /// - Returns: The pages. Nothing is sent until they are iterated.
    public func pages<Page: Decodable>(
        service: T, decodeType: Page.Type, isolation: isolated (any Actor)? = #isolation,
        next: @escaping (Page, ServiceResponse) throws -> T?
    ) -> ServicePages<T, Page> {
        .init(first: service, pipeline: pipeline, next: next) { response in
            try await response.decode(decodeType, in: isolation)
        }
    }
}
