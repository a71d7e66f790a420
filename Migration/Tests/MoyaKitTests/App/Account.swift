// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya

nonisolated struct Profile: Codable, Equatable {
    var name: String
    var birthday: Date?
}

/// A target with tokens, bodies from models, and status checks. It names Moya's module.
enum Account {
    case me
    case replace(Profile)
    case move(from: String, to: String)
    case settings
    case session
    case legacy
    case list(codes: [Int])
}

extension Account: TargetType, AccessTokenAuthorizable {
    var baseURL: URL { Server.url.appendingPathComponent("v2") }

    var path: String {
        switch self {
        case .me, .replace: return "/me"
        case .move: return "/move"
        case .settings: return "/settings"
        case .session: return "/session"
        case .legacy: return "/legacy"
        case .list: return "/list"
        }
    }

    var method: Moya.Method {
        switch self {
        case .me, .settings, .session, .legacy, .list: return .get
        case .move: return .post
        case .replace: return .put
        }
    }

    var task: Moya.Task {
        switch self {
        case .me, .settings, .session, .legacy, .list:
            return .requestPlain
        case let .replace(profile):
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            encoder.outputFormatting = .sortedKeys
            return .requestCustomJSONEncodable(profile, encoder: encoder)
        case let .move(from, to):
            return .requestCompositeParameters(
                bodyParameters: ["to": to, "now": true], bodyEncoding: URLEncoding.httpBody,
                urlParameters: ["from": from, "dry": false])
        }
    }

    var validationType: ValidationType {
        switch self {
        case .me: return .successCodes
        case .session: return .successAndRedirectCodes
        case .list(let codes): return .customCodes(codes)
        default: return .none
        }
    }

    var headers: [String: String]? { ["Content-Type": "application/json"] }

    var authorizationType: AuthorizationType? {
        switch self {
        case .session: return .basic
        case .legacy: return .custom("Token")
        default: return .bearer
        }
    }
}
