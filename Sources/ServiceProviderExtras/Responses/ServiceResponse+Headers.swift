// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceResponse {
    /// All values of a header field that is a list or is sent several times, such as `Vary` or `Set-Cookie`.
    /// The case of the name doesn't matter.
    ///
    /// The values of repeated fields are joined with commas before they get here (RFC 9110, section 5.3). So this
    /// splits the text at commas, except inside quotes, and in `Set-Cookie` only in front of a `name=`.
    public func headerValues(_ name: String) -> [String] {
        let areCookies = name.lowercased() == "set-cookie"
        let list = ArraySlice(field: header(name)).elements(areCookies: areCookies)
        return list.elements.compactMap {
            $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self)
        }
    }
}
