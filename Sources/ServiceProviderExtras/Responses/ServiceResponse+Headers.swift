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
        let list = ArraySlice(field: header(name)).elements(areCookies: areCookies)
        let values = list.elements.filter { !$0.isEmpty }
        return values.map { String(decoding: $0, as: UTF8.self) }
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
    /// let pages = provider.pages(from: .first, decodeType: [Repository].self) { _, response in
    ///     response.link(rel: "next").map { .page($0) }
    /// }
    /// ```
    ///
    /// The URL may have another host. Check it before your service sends a credential there.
    ///
    /// - Parameter rel: A relation type, in any case. Links of other resources (with an `anchor`) are
    ///   ignored.
    /// - Returns: The first such link, resolved against the URL of the response (RFC 3986, section 5). Nil if
    ///   there is none, or if a redirect to it wouldn't be followed: the scheme must be `http` or `https`,
    ///   and not lead from `https` to `http`. Links after a syntax error are ignored.
    public func link(rel: String) -> URL? {
        var field = ArraySlice(field: header("Link"))
        while let link = field.takeLink() {
            let types = link["rel", default: ""].lowercased().utf8.split {
                $0 == 0x20 || $0 == 0x09
            }
            guard types.contains(where: { $0.elementsEqual(rel.lowercased().utf8) }) else {
                continue
            }
            let anchor = link["anchor", default: ""]
            let isOwn = anchor.isEmpty || request.resolve(anchor) == request.urlRequest.url
            if isOwn, let url = request.resolve(link["<", default: ""]) { return url }
        }
        return nil
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
        return takeParameters(upTo: ",").merging(["<": target]) { $1 }
    }
}
