// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// The end of a transfer: its error, its metrics, and the result for its caller.
extension CurlTransfer {
    // MARK: - In the last turn

    /// Checks that the response is complete.
    ///
    /// - Parameter wire: The size of the body as libcurl received it, before decompression.
    func check(wire: Int64) throws {
        if let failure { throw failure }
        switch download.framing {
        case .unknown:
            throw URLError(
                .networkConnectionLost, "The connection was lost before the headers were complete.")
        case .length(let length) where wire != length:
            throw URLError(
                .networkConnectionLost, "The body ended after \(wire) of \(length) bytes.")
        // While the upload waits, libcurl doesn't say whether it has received the last chunk.
        case .chunks where upload.waitsForStream && !download.isComplete: throw Self.lost
        case .none, .length, .chunks, .close: break
        }
        if case .compressed(let decoder) = download.coding, !decoder.isComplete {
            throw URLError(.cannotDecodeRawData, "The compressed body is incomplete.")
        }
    }

    /// The error for a request that was sent before its connection was lost.
    static var lost: URLError {
        let text = "The connection was lost; the server may have processed the request."
        return URLError(.networkConnectionLost, text)
    }

    static var refused: URLError {
        URLError(
            .networkConnectionLost, "The server refused the request twice, without processing it.")
    }

    /// libcurl's error message. Empty if it's missing.
    var text: String { message.map { String(cString: $0) } ?? "" }

    /// A number that libcurl has measured.
    func info(_ info: Int) -> Int64 { ccurl_get(loop.library.curl, easy, Int32(info)) }

    /// Returns the metrics so far. Nil without libcurl's handle: call it before `release()`.
    func measured() -> ServiceMetrics? {
        guard easy != nil else { return nil }
        var metrics = ServiceMetrics()
        metrics.start = start
        metrics.firstByte = download.firstByte
        metrics.total = elapsed
        metrics.isReusedConnection = route.timesSent > 0 ? route.opened.isEmpty : nil
        if !route.opened.isEmpty {
            // libcurl counts all times from the start. 0: it hasn't got so far.
            let found = seconds(CCURL_INFO_NAMELOOKUP_TIME)
            let connected = seconds(CCURL_INFO_CONNECT_TIME)
            let secured = seconds(CCURL_INFO_APPCONNECT_TIME)
            metrics.nameLookup = found
            metrics.connect = connected > 0 ? max(connected - found, 0) : nil
            metrics.secureConnect = secured > 0 ? max(secured - connected, 0) : nil
        }
        metrics.sentBytes = info(CCURL_INFO_REQUEST_SIZE)
        if loop.library.curl.pointee.version < 0x080700 {
            // Since then, the size of the request includes its body.
            metrics.sentBytes += info(CCURL_INFO_SIZE_UPLOAD)
        }
        metrics.receivedBytes = info(CCURL_INFO_HEADER_SIZE) + info(CCURL_INFO_SIZE_DOWNLOAD)
        metrics.protocolName = CurlHTTPVersion(rawValue: Int(info(CCURL_INFO_HTTP_VERSION)))?.name
        metrics.localPort = route.addresses.map { Int($0.localPort) }
        metrics.remoteAddress = route.addresses?.remote
        return metrics
    }

    private func seconds(_ info: Int) -> TimeInterval { Double(self.info(info)) / 1e6 }

    // MARK: - After the turn

    /// Resumes the caller with the response or an error, once.
    func complete(_ problem: (any Error)?, _ metrics: ServiceMetrics?) {
        let wasStopped = loop.lock.withLock { orders.isStopped }
        let error = reported(problem ?? (wasStopped ? URLError(.cancelled) : nil), metrics)
        if !route.isUnprocessed {
            request.sendingRecord?.noteSent()
        }
        do {
            var response = try builder?.end(error)
            if let error { throw error }
            response?.metrics += metrics.map { [$0] } ?? []
            deliver(response.map { .built($0) } ?? .collected(metrics ?? ServiceMetrics()))
        } catch {
            continuation.take()?.resume(throwing: error)
        }
    }

    /// The error that the caller gets, with the metrics. It says whether the request was sent.
    private func reported(_ error: (any Error)?, _ metrics: ServiceMetrics?) -> (any Error)? {
        guard let error = error as? URLError else { return error }
        let reported = route.isUnprocessed ? error.unsent : error
        return metrics.map { reported.adding([$0]) } ?? reported
    }

    func deliver(_ outcome: Outcome) {
        guard let waiter = continuation.take() else { return }
        self.outcome = outcome
        loop.synchronize()
        waiter.resume()
    }

    /// Returns the response to the caller. Without a sink, it is built only now.
    func response() -> ServiceResponse {
        if case .built(let response) = outcome { return response }
        let head = download.head
        var response = ServiceResponse(
            request: request, statusCode: head.status, data: download.body.data)
        response.makeHeaders = { head.headers() }
        if case .collected(let metrics) = outcome {
            response.metrics.append(metrics)
        }
        return response
    }
}
#endif
