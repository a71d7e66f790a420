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
        if isChallenged, !hasBegun { try beginBody() }
        // libcurl has sent the request without its body, to get a challenge.
        guard
            credential == nil || !isStreamed || challenges > 0 || size == 0 || head.status >= 400
                || [307, 308].contains(head.status)
        else {
            let text = "The server didn't ask for a Digest, so the body wasn't sent."
            throw URLError(.badServerResponse, text)
        }
        guard hasBegun else {
            throw URLError(
                .networkConnectionLost, "The connection was lost before the headers were complete.")
        }
        let hasBody = method != "HEAD" && ![204, 304].contains(head.status)
        if hasBody, !head.isChunked, let length = head.length, wire != length {
            throw URLError(
                .networkConnectionLost, "The body ended after \(wire) of \(length) bytes.")
        }
        guard decoders.allSatisfy(\.isComplete) else {
            throw URLError(.cannotDecodeRawData, "The compressed body is incomplete.")
        }
        total = elapsed
    }

    /// Resumes the caller with the response or an error, once.
    func complete(_ problem: (any Error)?) {
        let wasStopped = loop.lock.withLock { isStopped }
        let error = problem ?? (wasStopped ? URLError(.cancelled) : nil)
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
        built = response
        loop.synchronize()
        waiter.resume()
    }

    /// Returns the response to the caller. Without a sink, it is built only now.
    func response() -> ServiceResponse {
        if let built { return built }
        let head = head
        var response = ServiceResponse(
            request: request, statusCode: head.status, data: buffer?.data ?? data)
        response.makeHeaders = { head.headers() }
        response.metrics += metrics
        return response
    }

    /// Returns the metrics of a transfer that has succeeded. Call it before `release()`.
    func measured() -> ServiceMetrics {
        let curl = loop.library.curl
        func long(_ info: Int) -> Int { ccurl_get_long(curl, easy, Int32(info)) }
        func size(_ info: Int) -> Int64 { ccurl_get_size(curl, easy, Int32(info)) }
        func seconds(_ info: Int) -> TimeInterval { Double(size(info)) / 1e6 }
        var metrics = ServiceMetrics()
        (metrics.start, metrics.firstByte, metrics.total) = (start, firstByte, total)
        let isReused = long(CCURL_INFO_NUM_CONNECTS) == 0
        metrics.isReusedConnection = isReused
        if !isReused {
            // libcurl counts all times from the start.
            let connected = seconds(CCURL_INFO_CONNECT_TIME)
            let secured = seconds(CCURL_INFO_APPCONNECT_TIME)
            metrics.nameLookup = seconds(CCURL_INFO_NAMELOOKUP_TIME)
            metrics.connect = max(connected - seconds(CCURL_INFO_NAMELOOKUP_TIME), 0)
            metrics.secureConnect = secured > 0 ? max(secured - connected, 0) : nil
        }
        // Since 8.7.0, the size of the request includes its body.
        let body = curl.pointee.version < 0x080700 ? size(CCURL_INFO_SIZE_UPLOAD) : 0
        metrics.sentBytes = Int64(long(CCURL_INFO_REQUEST_SIZE)) + body
        metrics.receivedBytes =
            Int64(long(CCURL_INFO_HEADER_SIZE)) + size(CCURL_INFO_SIZE_DOWNLOAD)
        metrics.protocolName =
            switch long(CCURL_INFO_HTTP_VERSION) {
            case 1: "http/1.0"
            case 2: "http/1.1"
            case 3: "h2"
            case 30: "h3"
            default: nil
            }
        metrics.localPort = long(CCURL_INFO_LOCAL_PORT)
        metrics.remoteAddress = ccurl_get_string(curl, easy, Int32(CCURL_INFO_PRIMARY_IP))
            .map { String(cString: $0) }
        return metrics
    }
}
#endif
