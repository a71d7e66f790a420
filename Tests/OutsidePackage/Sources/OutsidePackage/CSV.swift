// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ServiceBody {
    /// A table as comma-separated values (RFC 4180).
    static func csv(_ rows: [[String]]) -> ServiceBody {
        ServiceBody { request in
            var text = ""
            for row in rows {
                text += try row.map(quoted).joined(separator: ",") + "\r\n"
            }
            request.urlRequest.httpBody = Data(text.utf8)
            return "text/csv; charset=utf-8"
        }
    }

    private static func quoted(_ field: String) throws -> String {
        try ServiceError.require(
            !field.contains("\0"), of: .body, reason: "a field contains a null character")
        guard field.contains(where: { "\",\r\n".contains($0) || $0.isNewline }) else {
            return field
        }
        return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
