// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceError {
    /// The server's own message: see `ServiceResponse.serverMessage`. Nil without a response.
    ///
    /// ```swift
    /// catch let error as ServiceError {
    ///     alert(error.serverMessage ?? error.localizedDescription)
    /// }
    /// ```
    public var serverMessage: String? { response?.serverMessage }
}

nonisolated extension ServiceResponse {
    /// The first message for people in the body; nil if it has none. At most 4,096 characters.
    ///
    /// It is a plain text, or a text in JSON, at most eight levels deep: problem details (RFC 9457), OAuth (RFC 6749),
    /// and the names that other common APIs use, in any case. For messages about fields, the name of the field comes
    /// first: `email: is taken`. These are the server's words: they may repeat what the request sent.
    public var serverMessage: String? {
        guard let text = textInCharset else { return nil }
        var content = ServiceJSON.value(Data(Array(text.utf8)))
        if content == nil, ServiceMediaType(header("Content-Type")).name == "text/plain" {
            content = text
        }
        guard let content, let message = Self.message(in: content, level: 0) else { return nil }
        return String(message.unicodeScalars.prefix(4_096))
    }

    /// The names of messages, in lower case, in the order in which they are looked for.
    private static let names = [
        "detail", "message", "error_description", "status_message", "errormessages", "description",
        "reason", "msg", "error", "odata.error", "errors", "title", "status", "value",
    ]

    private static func message(in json: Any, level: Int, areFields: Bool = false) -> String? {
        if let text = json as? String {
            let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
            return isBlank ? nil : text
        }
        guard level < 8 else { return nil }
        for element in json as? [Any] ?? [] {
            if let text = message(in: element, level: level + 1) {
                return text
            }
        }
        guard let object = json as? [String: Any] else { return nil }
        // In the order of `names`.
        var members = [Any](repeating: "", count: names.count)
        for (name, member) in object where name.utf8.count <= 32 {
            if let place = names.firstIndex(of: name.lowercased()) {
                members[place] = member
            }
        }
        for (place, name) in names.enumerated() {
            let member = members[place]
            // A list belongs to a field that happens to have this name.
            if areFields, member is [Any] {
                continue
            }
            if let text = message(in: member, level: level + 1, areFields: name == "errors") {
                return text
            }
        }
        // Other names are those of fields: {"errors": {"email": "is taken"}}, {"email": ["is taken"]}.
        guard areFields || level == 0 else { return nil }
        // The first one by its name, because the members of an object have no order.
        var first: String?
        var message: String?
        for (field, member) in object where areFields || member is [String] {
            guard first.map({ field < $0 }) ?? true else { continue }
            if let text = Self.message(in: member, level: level + 1) {
                first = field
                message = "\(field): \(text)"
            }
        }
        return message
    }
}
