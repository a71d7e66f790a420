// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import Moya

// In the style of an SDK with structs as targets, which reads the errors of Alamofire (as Waves').

enum NetworkError: Error, Equatable {
    case message(Int), notFound, noInternet, canceled
}

extension NetworkError {
    static func error(by error: Error) -> NetworkError {
        switch error {
        case let error as NetworkError: return error
        case let moyaError as MoyaError:
            guard let response = moyaError.response else {
                guard case let .underlying(error, _) = moyaError else { return .message(9000) }
                return .error(by: error)
            }
            return response.statusCode == 404 ? .notFound : .message(response.statusCode)
        case let afError as AFError:
            switch afError {
            case let .createUploadableFailed(error: error): return .error(by: error)
            case let .createURLRequestFailed(error: error): return .error(by: error)
            case let .downloadedFileMoveFailed(error: error, source: _, destination: _):
                return .error(by: error)
            case .explicitlyCancelled: return .canceled
            case .invalidURL(url: _), .multipartEncodingFailed(reason: _): return .message(9001)
            case .parameterEncodingFailed(reason: _), .parameterEncoderFailed(reason: _):
                return .message(9003)
            case .requestAdaptationFailed(error: _): return .message(9005)
            case .requestRetryFailed(retryError: _, originalError: _): return .message(9006)
            case let .responseValidationFailed(reason: reason):
                guard case .unacceptableStatusCode(let code) = reason else { return .message(9007) }
                return .message(code)
            case .responseSerializationFailed(reason: _): return .message(9008)
            case .serverTrustEvaluationFailed(reason: _): return .message(9009)
            case .sessionDeinitialized, .sessionInvalidated(error: _): return .noInternet
            case let .sessionTaskFailed(error: error): return .error(by: error)
            case .urlRequestValidationFailed(reason: _): return .message(9010)
            }
        case let urlError as NSError where urlError.domain == NSURLErrorDomain:
            return urlError.code == NSURLErrorCancelled ? .canceled : .noInternet
        default: return .message(9020)
        }
    }
}

enum Ledger {
    struct Transaction {
        enum Kind {
            case list(address: String, limit: Int)
            case broadcast(fee: Double)
            case orders(timestamp: Int, signature: String)
            case cancel(ids: [String?])
            case exchange(matchers: [Int], from: Date)
            case pair(Substring, kind: Side)
        }

        enum Side: Int { case buy = 1, sell }

        var kind: Kind
        var nodeUrl: URL
    }
}

extension Ledger.Transaction: TargetType {
    var baseURL: URL { nodeUrl }
    var path: String {
        switch kind {
        case .list(let address, let limit): return "transactions/address/\(address)/limit/\(limit)"
        case .broadcast: return "transactions/broadcast"
        case .orders: return "matcher/orderbook/key"
        case .cancel: return "matcher/orderbook/cancel"
        case .exchange: return "transactions/exchange"
        case .pair: return "pairs"
        }
    }
    var method: Moya.Method {
        switch kind {
        case .broadcast, .cancel: return .post
        default: return .get
        }
    }
    var task: Task {
        func query(_ parameters: Parameters) -> Task {
            Task.requestParameters(parameters: parameters, encoding: URLEncoding.default)
        }
        switch kind {
        case .list, .orders: return .requestPlain
        case .broadcast(let fee):
            let parameters: [String: Any] = [
                "fee": fee, "chain": UInt8(87), "payment": [["assetId": NSNull(), "amount": 1]],
            ]
            return .requestParameters(parameters: parameters, encoding: JSONEncoding.default)
        case .cancel(let ids):
            return .requestParameters(parameters: ["ids": ids], encoding: JSONEncoding.default)
        case .exchange(let matchers, let date): return query(["matchers": matchers, "from": date])
        case .pair(let name, let side):
            return query(["name": name, "side": side, "none": NSNull()])
        }
    }
    var headers: [String: String]? {
        guard case .orders(let timestamp, let signature) = kind else { return nil }
        return ["Timestamp": "\(timestamp)", "Signature": signature]
    }

    static func rows() -> [Row] {
        let provider = MoyaProvider<Ledger.Transaction>()
        func row(
            _ line: String, _ kind: Kind, _ fields: [String: String] = [:], body: String = ""
        ) -> Row {
            let target = Ledger.Transaction(kind: kind, nodeUrl: Backend.url)
            return Row(line, fields, body) {
                try await withCheckedThrowingContinuation { next in
                    provider.request(target) { next.resume(with: $0.map { _ in }) }
                }
            }
        }
        let json = ["Content-Type": "application/json"]
        let date = Date(timeIntervalSince1970: 0)
        return [
            row("GET /transactions/address/3P/limit/9", .list(address: "3P", limit: 9)),
            row("GET /transactions/address/a/b%20c/limit/1", .list(address: "a/b c", limit: 1)),
            row(
                "POST /transactions/broadcast", .broadcast(fee: 3), json,
                body: #"{"chain":87,"fee":3,"payment":[{"amount":1,"assetId":null}]}"#),
            row(
                "GET /matcher/orderbook/key", .orders(timestamp: 1, signature: "s"),
                ["Timestamp": "1", "Signature": "s"]),
            row(
                "POST /matcher/orderbook/cancel", .cancel(ids: ["a"]), json, body: #"{"ids":["a"]}"#
            ),
            row(
                "GET /transactions/exchange?from=1970-01-01%2000%3A00%3A00%20%2B0000"
                    + "&matchers%5B%5D=2&matchers%5B%5D=1", .exchange(matchers: [2, 1], from: date)),
            row("GET /pairs?name=a&none=%3Cnull%3E&side=buy", .pair("a", kind: .buy)),
        ]
    }
}
