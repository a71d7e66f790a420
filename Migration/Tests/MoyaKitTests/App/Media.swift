// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya

/// A target with files.
enum Media {
    case form([MultipartFormData])
    case picture(id: Int, to: URL)
    case report(year: Int, isDraft: Bool, to: URL)
    case lost(to: URL)
}

extension Media: TargetType {
    var baseURL: URL { Server.url }
    var path: String {
        switch self {
        case .form: "/forms"
        case .picture(let id, _): "/pictures/\(id)"
        case .report: "/report"
        case .lost: "/lost"
        }
    }
    var method: Moya.Method {
        switch self {
        case .form: .post
        case .picture, .report, .lost: .get
        }
    }
    var task: Task {
        switch self {
        case .form(let parts):
            return .uploadMultipart(parts)
        case .picture(_, let file):
            return .downloadDestination { _, _ in
                (file, [.removePreviousFile, .createIntermediateDirectories])
            }
        case .report(let year, let isDraft, let file):
            return .downloadParameters(
                parameters: ["year": year, "draft": isDraft], encoding: URLEncoding.default
            ) { _, _ in (file, []) }
        case .lost(let file):
            let destination: DownloadDestination = { _, response in
                (file.appendingPathExtension("\(response.statusCode)"), [])
            }
            return .downloadDestination(destination)
        }
    }
    var validationType: ValidationType {
        if case .lost = self { return .successCodes }
        return .none
    }
    var headers: [String: String]? { ["Content-Type": "application/json"] }
}
