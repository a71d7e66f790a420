// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

extension CurlMulti {
    /// Converts a CURLcode to the `URLError` that URLSession would throw, with libcurl's message.
    func error(_ code: Int32, of transfer: CurlTransfer) -> URLError {
        // The request was sent once, and connecting for the second attempt failed.
        if transfer.phase == .connecting, transfer.timesSent > 0, !transfer.mayBeRepeated {
            return CurlTransfer.lost
        }
        if code == 7, let address = transfer.refusedAddress {
            return URLError(.resourceUnavailable, address.refusal)
        }
        let own = transfer.message.map { String(cString: $0) } ?? ""
        let general = library.curl.pointee.easy_strerror(code).map { String(cString: $0) }
        // libcurl quotes the URL of a proxy, with its password.
        let text = own.isEmpty || own.contains("://") ? general ?? "" : own
        let verified = ccurl_get_long(
            library.curl, transfer.easy, Int32(CCURL_INFO_SSL_VERIFYRESULT))
        // Newer libcurls report a bad argument if they can't read the private key.
        if code == 43, transfer.phase == .connecting, limits.clientCertificate != nil {
            return URLError(.clientCertificateRejected, "\(text) (libcurl \(code)).")
        }
        // After connecting: the response isn't in HTTP.
        if code == 1, transfer.phase != .connecting {
            return URLError(.badServerResponse, "\(text) (libcurl \(code)).")
        }
        // Older libcurls report a lost connection if a proxy refuses the tunnel.
        let hasNone = transfer.phase == .connecting && [52, 55, 56].contains(code)
        return URLError(
            hasNone ? .cannotConnectToHost : Self.code(code, verified, text),
            "\(text) (libcurl \(code)).")
    }

    private static func code(_ code: Int32, _ verified: Int, _ text: String) -> URLError.Code {
        switch code {
        case 1: .unsupportedURL
        case 3: .badURL
        case 5, 6: .cannotFindHost
        case 7, 97: .cannotConnectToHost
        // 27 and 100: a line is too long. 61: a bad transfer coding (libcurl decodes no content
        // codings here).
        case 8, 27, 43, 61, 100: .badServerResponse
        // 42: two connections couldn't be used. (Cancelled transfers don't get here.)
        case 16, 18, 42, 52, 55, 56, 65, 92: .networkConnectionLost
        case 28: .timedOut
        case 35, 77: .secureConnectionFailed
        case 60: certificate(verified, text)
        case 58: .clientCertificateRejected
        case 63: .dataLengthExceedsMaximum
        case 90: .serverCertificateUntrusted
        case 98: .clientCertificateRequired
        default: .unknown
        }
    }

    /// Maps OpenSSL's result (X509_V_ERR…) to a code. For TLS libraries without such a result, the
    /// message decides.
    private static func certificate(_ verified: Int, _ text: String) -> URLError.Code {
        switch verified {
        case 9: .serverCertificateNotYetValid
        case 10: .serverCertificateHasBadDate
        case 2, 18, 19, 20: .serverCertificateHasUnknownRoot
        default:
            text.contains("expired") ? .serverCertificateHasBadDate : .serverCertificateUntrusted
        }
    }
}
#endif
