// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension LoopbackAnswer {
    var carriesBody: Bool {
        !(100..<200).contains(status) && status != 204 && status != 304
    }

    func closesConnection(clientCloses: Bool) -> Bool {
        if isRaw || closes { return closes }
        if case .untilClose = framing { return true }
        return clientCloses || headers.tokens(of: "Connection").contains("close")
    }

    func head(length: Int, closes: Bool) -> Data {
        var fields = headers
        func addUnlessGiven(_ name: String, _ value: String) {
            if headers.values(of: name).isEmpty { fields.append((name, value)) }
        }
        // A 304 may declare what a 200 would have carried, if the answer has such a body.
        if carriesBody || (status == 304 && length > 0) {
            switch framing {
            case .contentLength: addUnlessGiven("Content-Length", String(length))
            case .chunked: addUnlessGiven("Transfer-Encoding", "chunked")
            case .untilClose: break
            }
        }
        if closes { addUnlessGiven("Connection", "close") }
        let words = reason ?? Self.reasons[status] ?? "Status"
        return Data("HTTP/1.1 \(status) \(words)\r\n\(fields.lines)\r\n".utf8)
    }

    private static let reasons = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
        204: "No Content", 205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
        425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported", 511: "Network Authentication Required",
    ]
}
