// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceResponse {
    /// All values of a header field that is a list or is sent several times, such as `Vary` or `Set-Cookie`.
    /// The case of the name doesn't matter.
    ///
    /// The values of repeated fields are joined with commas before they get here (RFC 9110, section 5.3). So this
    /// splits the text at commas, except inside quotes, and in `Set-Cookie` only in front of a `name=`.
    public func headerValues(_ name: String) -> [String] {
        let areCookies = name.lowercased() == "set-cookie"
        let values = ArraySlice(field: header(name)).elements(areCookies: areCookies).elements
        return values.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }
}

nonisolated extension ServiceResponse {
    /// The URL of a related resource in the `Link` header (RFC 8288, section 3), such as the `next` page.
    ///
    /// Load it with a service that has the whole URL as its base URL:
    ///
    /// ```swift
    /// enum Repositories: Service {
    ///     case first
    ///     case page(URL)
    ///
    ///     var baseURL: String {
    ///         switch self {
    ///         case .first: "https://api.example.com/repositories"
    ///         case .page(let url): url.absoluteString
    ///         }
    ///     }
    ///     var path: String { "" }
    /// }
    ///
    /// let pages = provider.pages(service: .first, decodeType: [Repository].self) { _, response in
    ///     try response.link(rel: "next").map { .page($0) }
    /// }
    /// ```
    ///
    /// The URL may have another host. Check it before your service sends a credential there.
    ///
    /// - Parameter rel: A relation type, in any case. Links of other resources (with an `anchor`) are
    ///   ignored.
    /// - Returns: The first such link, resolved against the URL of the response (RFC 3986, section 5). Nil
    ///   without such a link. If the response came over `https`, a link with `http` to the same host and port gets
    ///   `https`: behind a proxy for TLS, servers often don't know it. Links after a syntax error are ignored.
    /// - Throws: `ServiceError.decoding(_:_:as:)` if there are such links, but none that a redirect could lead to:
    ///   the scheme must be `http` or `https`, and not lead from `https` to `http`.
    public func link(rel: String) throws -> URL? {
        var field = ArraySlice(field: header("Link"))
        var isRefused = false
        while let link = field.takeLink() {
            let types = ArraySlice(field: link["rel"]?.lowercased()).words(separatedBy: " \t")
            guard types.contains(where: rel.lowercased().isIdentical) else { continue }
            let anchor = link["anchor", default: ""]
            let isOwn = anchor.isEmpty || request.resolve(anchor) == request.urlRequest.url
            guard isOwn else { continue }
            let target = link["<", default: ""]
            if let url = request.resolve(target) ?? secureURL(target) {
                return url
            }
            isRefused = true
        }
        // Nil would look like the end of a list.
        guard isRefused else { return nil }
        let reason = "The header leads to a URL that can't be requested."
        let context = DecodingError.Context(codingPath: [], debugDescription: reason)
        throw ServiceError.decoding(DecodingError.dataCorrupted(context), self, as: "Link")
    }

    /// The URL of an `http` link with `https`, if it then has the origin of this response.
    private func secureURL(_ link: String) -> URL? {
        guard let own = request.urlRequest.url,
            let url = ServiceRequest.url(link, relativeTo: own),
            var parts = URLComponents(string: url.absoluteString)
        else { return nil }
        guard parts.scheme?.lowercased() == "http" else { return nil }
        parts.scheme = "https"
        if parts.port == nil || parts.port == 80 {
            parts.port = own.port
        }
        let isSameOrigin = parts.url.map(ServiceRequest.origin) == ServiceRequest.origin(of: own)
        return isSameOrigin ? parts.string.flatMap(request.resolve) : nil
    }
}

/// The rest of a `Link` field, parsed by RFC 8288, appendix B.2 to B.4. Reads each byte once.
private nonisolated extension ArraySlice<UInt8> {
    /// The parameters of the next link by name, in lower case. Its target has the name `<`, which no
    /// parameter can have.
    mutating func takeLink() -> [String: String]? {
        while take(",") {}
        guard take("<") else { return nil }
        let target = takeText(upTo: ">")
        _ = take(">")
        var parameters = takeParameters(upTo: ",")
        parameters["<"] = target
        return parameters
    }
}
