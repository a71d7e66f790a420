// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// An endpoint of a host that does not exist.
struct StubbedService: Service, Sendable {
    var baseURL = "http://stubbed.invalid"
    var path = "/heroes"
    var method = ServiceMethod.get
    var query: [String: String] = [:]
    var headers: [String: String] = [:]
    var file: URL?
    var content: Data?
    var sample = ""
    var secretNames: Set<String> = []
    var validStatusCodes = ServiceResponse.successfulStatusCodes

    var parameters: [String: Any]? { query.isEmpty ? nil : query }
    var sampleData: Data { Data(sample.utf8) }
    var body: ServiceBody? { file.map { .file($0) } ?? content.map { .data($0) } }
}

extension Swift.Result<String, ServiceError> {
    var isCancelled: Bool {
        if case .failure(let error) = self { error.isCancelled } else { false }
    }
}
