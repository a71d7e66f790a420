// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import MoyaKit

nonisolated struct Profile: Codable, Equatable {
    var name: String
    var birthday: Date?
}

/// A target with tokens, bodies from models, and status checks. It names Moya's module.
enum Account {
    case login(user: String, password: String)
    case me
    case update(Profile)
    case replace(Profile)
    case avatar(Data)
    case log(Data, session: String)
    case invite(email: String, language: String)
    case move(from: String, to: String)
    case settings
    case session
    case legacy
    case list(codes: [Int])
    case logout
}

extension Account: TargetType, AccessTokenAuthorizable {
    var baseURL: URL { Server.url.appendingPathComponent("v2") }

    var path: String {
        switch self {
        case .login: return "/login"
        case .me, .update, .replace: return "/me"
        case .avatar: return "/me/avatar"
        case .log: return "/log"
        case .invite: return "/invitations"
        case .move: return "/move"
        case .settings: return "/settings"
        case .session: return "/session"
        case .legacy: return "/legacy"
        case .list: return "/list"
        case .logout: return "/logout"
        }
    }

    var method: Moya.Method {
        switch self {
        case .me, .settings, .session, .legacy, .list: return .get
        case .login, .log, .invite, .move: return .post
        case .update: return .patch
        case .replace, .avatar: return .put
        case .logout: return .delete
        }
    }

    var task: Moya.Task {
        switch self {
        case .me, .settings, .session, .legacy, .list, .logout:
            return .requestPlain
        case let .login(user, password):
            return .requestJSONEncodable(["user": user, "password": password])
        case let .update(profile):
            return .requestJSONEncodable(profile)
        case let .replace(profile):
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            encoder.outputFormatting = .sortedKeys
            return .requestCustomJSONEncodable(profile, encoder: encoder)
        case let .avatar(data):
            return .requestData(data)
        case let .log(data, session):
            return .requestCompositeData(bodyData: data, urlParameters: ["session": session])
        case let .invite(email, language):
            return .requestCompositeParameters(
                bodyParameters: ["email": email, "now": true], bodyEncoding: JSONEncoding.default,
                urlParameters: ["lang": language])
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

    var headers: [String: String]? {
        switch self {
        case .avatar: return ["Content-Type": "image/png"]
        case .logout: return nil
        default: return ["Content-Type": "application/json"]
        }
    }

    var authorizationType: AuthorizationType? {
        switch self {
        case .login: return nil
        case .session: return .basic
        case .legacy: return .custom("Token")
        default: return .bearer
        }
    }
}
