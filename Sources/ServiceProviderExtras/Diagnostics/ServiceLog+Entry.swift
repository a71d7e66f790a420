// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceLog {
    /// The severity of an entry. The raw values are those of swift-log's `Logger.Level`.
    public enum Level: String, Sendable {
        /// The call was cancelled.
        case debug
        /// The status of the response counts as success, or `acceptsAnyStatus` is set.
        case info
        /// Any other status from 400 to 499.
        case warning
        /// Any other status, or no response.
        case error
    }

    /// A call that has ended, for a log. It prints as its message.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The severity.
        public let level: Level
        /// The text, without a line break at its end. ``Contents`` says how much it shows.
        public let message: String
        /// The call as fields, by the names of OpenTelemetry's conventions for HTTP. Nothing in them but the status code
        /// comes from the server.
        ///
        /// | Field | Value |
        /// |---|---|
        /// | `http.request.method` | the method |
        /// | `url.full` | the URL, before redirects, with `***` in place of its secrets |
        /// | `http.client.request.duration` | seconds, such as `0.123` |
        /// | `http.request.body.size` | the bytes of the body that were sent |
        /// | `http.response.status_code` | the status code, if a response arrived |
        /// | `http.response.body.size` | the bytes of the body after decompression, unless it's a stream |
        /// | `http.request.resend_count` | `ServiceRequest.attempt` - 1, from the second attempt on |
        /// | `error.type` | a word for errors of the same kind, unless the level is `info` |
        ///
        /// An `error.type` is a status code, `URLError -1001`, the name of another case of `ServiceError`, such as
        /// `cancelled`, or the type of an interceptor's own error.
        public let fields: [String: String]

        /// The message.
        public var description: String { message }
    }

    /// A call that has ended, and what a log knows about it.
    struct EndedCall {
        /// The request as the log got it.
        let request: ServiceRequest
        /// The request that got the response, with the changes of inner interceptors. Without a response, the log's own
        /// request.
        let last: ServiceRequest
        /// Hides the secrets that any request of the call names.
        let redactor: ServiceRequest
        let response: ServiceResponse?
        /// The error that the caller gets, unless an outer interceptor handles it; nil if the response is accepted.
        let error: ServiceError?
        let seconds: String
        /// Bytes of bodies.
        let sent: Int64
        let received: Int64

        init(
            _ request: ServiceRequest, _ outcome: Result<ServiceResponse, any Error>,
            _ seconds: TimeInterval, _ progress: ServiceProgress
        ) {
            let response = try? outcome.get()
            self.request = request
            self.response = response
            self.seconds = String(format: "%.3f", seconds)
            last = response?.request ?? request
            redactor = last.withSecretNames(of: [request] + (response?.earlierRequests ?? []))
            sent = max(progress.sent, Int64(response?.request.urlRequest.httpBody?.count ?? 0))
            received = max(progress.received, Int64(response?.data.count ?? 0))
            switch outcome {
            case .success(let response) where response.isAccepted: error = nil
            case .success(let response): error = .unacceptableStatus(response)
            case .failure(let failure): error = ServiceError(failure)
            }
        }

        var method: String { request.urlRequest.httpMethod ?? "GET" }

        /// The URL of a request, without its secrets.
        func url(of request: ServiceRequest) -> String {
            redactor.redacting(url: request.urlRequest.url?.absoluteString ?? "")
        }

        var level: Level {
            switch error {
            case nil: .info
            case .cancelled: .debug
            case .unacceptableStatus(let response) where (400...499).contains(response.statusCode):
                .warning
            case _?: .error
            }
        }

        var fields: [String: String] {
            var fields = [
                "http.request.method": method,
                "url.full": url(of: request),
                "http.client.request.duration": seconds,
                "http.request.body.size": "\(sent)",
            ]
            fields["error.type"] = error.map(Self.type)
            if last.attempt > 1 {
                fields["http.request.resend_count"] = "\(last.attempt - 1)"
            }
            fields["http.response.status_code"] = (response ?? error?.response).map {
                "\($0.statusCode)"
            }
            if let response {
                // The body of a stream arrives later.
                let isStream = response.hasDeliveredBody && last.bodySink?.destination == .stream
                fields["http.response.body.size"] = isStream ? nil : "\(received)"
            }
            return fields
        }

        /// A word for errors of the same kind.
        private static func type(of error: ServiceError) -> String {
            switch error {
            case .unacceptableStatus(let response): "\(response.statusCode)"
            case .transport(let error): "URLError \(error.code.rawValue)"
            case .interceptor(let error): "\(Swift.type(of: error))"
            case .invalidRequest: "invalidRequest"
            case .file: "file"
            case .cancelled: "cancelled"
            case .emptyResponse: "emptyResponse"
            case .decoding: "decoding"
            }
        }
    }
}
