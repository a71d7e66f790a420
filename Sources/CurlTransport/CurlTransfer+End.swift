// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

extension CurlTransfer {
    /// Checks that the response is complete.
    ///
    /// - Parameter wire: The size of the body as libcurl received it, before decompression.
    func check(wire: Int64) throws {
        if let failure { throw failure }
        guard hasBegun else {
            throw URLError(
                .networkConnectionLost, "The connection was lost before the headers were complete.")
        }
        let hasBody = method != "HEAD" && ![204, 304].contains(head.status)
        if hasBody, !head.isChunked, let length = head.length, wire != length {
            throw URLError(
                .networkConnectionLost, "The body ended after \(wire) of \(length) bytes.")
        }
        // While the upload waits, libcurl doesn't say whether it has received the last chunk.
        guard !isUploadPaused || !head.isChunked || lastBytes == Array("0\r\n\r\n".utf8) else {
            throw Self.lost
        }
        guard decoder?.isComplete ?? true else {
            throw URLError(.cannotDecodeRawData, "The compressed body is incomplete.")
        }
        total = elapsed
    }

    /// libcurl's error message. Empty if it's missing.
    var text: String { message.map { String(cString: $0) } ?? "" }

    /// Resumes the caller with the response or an error, once.
    func complete(_ problem: (any Error)?) {
        let wasStopped = loop.lock.withLock { isStopped }
        var error = problem ?? (wasStopped ? URLError(.cancelled) : nil)
        if timesSent > 0 {
            request.sendingRecord?.noteSent()
        } else if let unsent = error as? URLError {
            error = unsent.unsent
        }
        do {
            var response = try builder?.end(error)
            response?.metrics += metrics
            if let error { throw error }
            resume(response)
        } catch {
            continuation.take()?.resume(throwing: error)
        }
    }

    func resume(_ response: ServiceResponse?) {
        guard let waiter = continuation.take() else { return }
        built = response.map { [$0] } ?? []
        loop.synchronize()
        waiter.resume()
    }

    /// Returns the response to the caller. Without a sink, it is built only now.
    func response() -> ServiceResponse {
        if let response = built.first { return response }
        let head = head
        var response = ServiceResponse(
            request: request, statusCode: head.status, data: buffer?.data ?? data)
        response.makeHeaders = { head.headers() }
        response.metrics += metrics
        return response
    }

    /// A number that libcurl has measured.
    func info(_ info: Int) -> Int64 { ccurl_get(loop.library.curl, easy, Int32(info)) }

    /// Returns the metrics of a transfer that has succeeded. Call it before `release()`.
    func measured() -> ServiceMetrics {
        var metrics = ServiceMetrics()
        metrics.start = start
        metrics.firstByte = firstByte
        metrics.total = total
        metrics.isReusedConnection = sockets.isEmpty
        if !sockets.isEmpty {
            // libcurl counts all times from the start.
            let found = seconds(CCURL_INFO_NAMELOOKUP_TIME)
            let connected = seconds(CCURL_INFO_CONNECT_TIME)
            let secured = seconds(CCURL_INFO_APPCONNECT_TIME)
            metrics.nameLookup = found
            metrics.connect = max(connected - found, 0)
            if secured > 0 {
                metrics.secureConnect = max(secured - connected, 0)
            }
        }
        metrics.sentBytes = info(CCURL_INFO_REQUEST_SIZE)
        if loop.library.curl.pointee.version < 0x080700 {
            // Since then, the size of the request includes its body.
            metrics.sentBytes += info(CCURL_INFO_SIZE_UPLOAD)
        }
        metrics.receivedBytes = info(CCURL_INFO_HEADER_SIZE) + info(CCURL_INFO_SIZE_DOWNLOAD)
        metrics.protocolName = CurlHTTPVersion(rawValue: Int(info(CCURL_INFO_HTTP_VERSION)))?.name
        metrics.localPort = connection.map { Int($0.localPort) }
        metrics.remoteAddress = connection?.remote
        return metrics
    }

    private func seconds(_ info: Int) -> TimeInterval { Double(self.info(info)) / 1e6 }
}
#endif
