// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// The errors of transfers.
extension CurlMulti {
    /// Returns the error of a transfer that has ended, or nil if it succeeded.
    func finalError(of transfer: CurlTransfer, _ code: Int32) -> (any Error)? {
        if let failure = transfer.failure { return failure }
        guard code == 0 || transfer.download.hasBegun && hasReset(transfer, code) else {
            return error(code, of: transfer)
        }
        let wire = transfer.info(CCURL_INFO_SIZE_DOWNLOAD)
        do {
            try transfer.check(wire: wire)
            return nil
        } catch {
            return error
        }
    }

    /// Whether libcurl has reset the stream because its response ended before the request did. Such a response is
    /// complete (libcurl 8.11.0 and later). Only the text says so.
    private func hasReset(_ transfer: CurlTransfer, _ code: Int32) -> Bool {
        code == CCURL_HTTP2_STREAM && transfer.text.hasPrefix(Self.streamText)
            && transfer.text.contains("reset by curl (error 0x5 ")
    }

    /// How libcurl's own text about a stream starts. Other texts can quote the server.
    private static let streamText = "HTTP/2 stream "

    /// Converts a CURLcode to the `URLError` that URLSession would throw, with libcurl's message.
    func error(_ code: Int32, of transfer: CurlTransfer) -> URLError {
        let isConnecting = transfer.route.addresses == nil
        // The request was sent once, and connecting for the second attempt failed, or the name lookup before.
        let isReconnecting = isConnecting || [5, 6].contains(code)
        if isReconnecting, !transfer.route.isUnprocessed, !transfer.request.mayBeRepeated() {
            return CurlTransfer.lost
        }
        let text = message(code, of: transfer)
        let kind: URLError.Code =
            switch code {
            // Refused by `open(_:)`.
            case 7 where transfer.route.refusal == .privateAddress: .resourceUnavailable
            // Newer libcurls report a bad argument if they can't read the private key.
            case 43 where isConnecting && configuration.clientCertificate != nil:
                .clientCertificateRejected
            // The response isn't in HTTP.
            case 1 where !isConnecting: .badServerResponse
            // Older libcurls report a lost connection if a proxy refuses the tunnel.
            case 52 where isConnecting, 55 where isConnecting, 56 where isConnecting:
                .cannotConnectToHost
            case 60: certificate(of: transfer, text)
            default: Self.code(code)
            }
        return URLError(kind, "\(text) (libcurl \(code)).")
    }

    private func message(_ code: Int32, of transfer: CurlTransfer) -> String {
        let hasSent = transfer.info(CCURL_INFO_REQUEST_SIZE) > 0
        switch code {
        case 7 where transfer.route.refusal == .privateAddress:
            return "The host's address isn't public"
        // libcurl calls it "Out of memory", because it limits the size of such a line.
        case 27 where hasSent, 100 where hasSent:
            return "A line of the response's headers is too long"
        case 27, 100: return "The headers of the request are too long"
        // libcurl quotes the proxy, with its password.
        case 5: return "The proxy can't be found, or its URL isn't valid"
        case 45: return "The local address can't be used"
        // libcurl quotes the name in the certificate.
        case 60 where transfer.text.contains("subject name"):
            return "The certificate is for another host"
        // libcurl quotes the server.
        case 16: return "The server doesn't keep to HTTP/2"
        case 61: return "The response's transfer coding isn't valid"
        case 92 where !transfer.text.hasPrefix(Self.streamText):
            return "The server's part of an HTTP/2 stream isn't valid"
        default: break
        }
        // The transfer ran alone, and got none of the last files.
        if transfer.route.refusal == .tooManyFiles {
            return "The process has too many open files for a connection"
        }
        // libcurl quotes the URL of a proxy, with its password.
        let own = transfer.text
        if !own.isEmpty, !own.contains("://") { return own }
        return curl.pointee.easy_strerror(code).map { String(cString: $0) } ?? ""
    }

    private static func code(_ code: Int32) -> URLError.Code {
        switch code {
        case 1: .unsupportedURL
        case 3: .badURL
        case 5, 6: .cannotFindHost
        case 7, 45, 97: .cannotConnectToHost
        // 61: a bad transfer coding (libcurl decodes no content codings here).
        case 8, 27, 43, 61, 100: .badServerResponse
        // 42: two connections couldn't be used. (Cancelled transfers don't get here.)
        case 16, 18, 42, 52, 55, 56, 65, 92: .networkConnectionLost
        case 28: .timedOut
        case 35, 77: .secureConnectionFailed
        case 58: .clientCertificateRejected
        case 63: .dataLengthExceedsMaximum
        case 90: .serverCertificateUntrusted
        case 98: .clientCertificateRequired
        default: .unknown
        }
    }

    /// Maps OpenSSL's result (X509_V_ERR…) to a code. For TLS libraries without such a result, the
    /// message decides.
    private func certificate(of transfer: CurlTransfer, _ text: String) -> URLError.Code {
        switch transfer.info(CCURL_INFO_SSL_VERIFYRESULT) {
        case 9: .serverCertificateNotYetValid
        case 10: .serverCertificateHasBadDate
        case 2, 18, 19, 20: .serverCertificateHasUnknownRoot
        case _ where text.contains("expired"): .serverCertificateHasBadDate
        default: .serverCertificateUntrusted
        }
    }
}
#endif
