// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What comes of one exchange: each transport feeds one with what happens, in order and from one thread
/// at a time, and hands over what comes out.
///
/// It knows where the body goes, and reports progress, the same for every transport.
public nonisolated final class ServiceReception {
    let request: ServiceRequest
    private let transfer: ServiceTransfer
    /// The head that came last; nil before one has.
    public private(set) var http: HTTPURLResponse?
    private var data = Data()
    private var delivery: (any ServiceDelivery)?
    private var progress = ServiceProgress()
    /// Whether the status counts as success: only then is the body what the call delivers.
    private var isSuccess = false

    /// Begins an exchange.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - transfer: What a delivery can do about the bytes that come.
    public init(of request: ServiceRequest, by transfer: ServiceTransfer) {
        self.request = request
        self.transfer = transfer
        guard request.onProgress != nil else { return }
        let body = request.urlRequest.httpBody
        let length = request.urlRequest.value(forHTTPHeaderField: "Content-Length")
        progress.totalToSend = body.map { Int64($0.count) } ?? length.flatMap { Int64($0) }
    }

    /// More of the request's body was sent: so many bytes by now.
    public func didSend(total: Int64) {
        progress.sent = total
        request.onProgress?(progress)
    }

    /// A head came. It counts in place of one before: an informational response (103) may be first.
    ///
    /// - Returns: The response, where the caller is to have it before its body.
    /// - Throws: What the delivery throws: then the exchange is to be stopped.
    public func didReceive(_ head: HTTPURLResponse) throws -> ServiceResponse? {
        let response = ServiceResponse(request: request, http: head)
        (http, data, delivery) = (head, Data(), nil)
        isSuccess = head.statusCode >= 200 && request.validStatusCodes.contains(head.statusCode)
        if isSuccess, let onProgress = request.onProgress {
            let isEncoded = response.header("Content-Encoding") != nil
            let size = head.expectedContentLength
            progress.totalToReceive = size < 0 || isEncoded ? nil : size
            onProgress(progress)
        }
        guard isSuccess, let delivery = request.delivery else { return nil }
        try delivery.begin(response, from: transfer)
        self.delivery = delivery
        return delivery.isStream ? response : nil
    }

    /// Some of the body came.
    ///
    /// - Throws: What the delivery throws: then the exchange is to be stopped.
    public func didReceive(_ chunk: Data) throws {
        if let delivery { try delivery.receive(chunk) } else { data.append(chunk) }
        guard isSuccess else { return }
        progress.received += Int64(chunk.count)
        request.onProgress?(progress)
    }

    /// The exchange has ended.
    ///
    /// - Throws: The error, or a `URLError` when no HTTP answer came.
    public func end(_ error: (any Error)?) throws -> ServiceResponse {
        delivery?.end(error.map(request.naming))
        if let error { throw error }
        guard let http else { throw URLError(.badServerResponse) }
        return ServiceResponse(request: request, http: http, data: data)
    }
}

nonisolated extension ServiceRequest {
    /// An answer that is there already, after all that a transport does with one.
    func answered(
        _ status: Int, _ fields: [String: String], _ data: Data
    ) throws -> ServiceResponse {
        // HTTPURLResponse on Linux takes half a second to read 100 KB of these, and minutes for 1 MB.
        let isShort = fields.allSatisfy { name, value in
            value.utf8.count <= 8_192
                || !["content-type", "content-disposition"].contains(name.lowercased())
        }
        guard isShort, let url = urlRequest.url,
            let head = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: data.isEmpty
                    ? fields : fields.adding("Content-Length", "\(data.count)"))
        else { throw URLError(.badServerResponse) }
        let reception = ServiceReception(of: self, by: ServiceTransfer {})
        if let body = urlRequest.httpBody { reception.didSend(total: Int64(body.count)) }
        do {
            _ = try reception.didReceive(head)
            if !data.isEmpty { try reception.didReceive(data) }
        } catch {
            return try reception.end(error)
        }
        return try reception.end(nil)
    }
}

nonisolated extension [String: String] {
    /// With one more header field, unless it has that already.
    func adding(_ name: String, _ value: String) -> Self {
        let hasIt = keys.contains { $0.lowercased() == name.lowercased() }
        return hasIt ? self : merging([name: value]) { own, _ in own }
    }
}
