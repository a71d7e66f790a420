// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers

enum Hello: Service {
    case greeting
    var baseURL: String { "http://127.0.0.1:1" }
    var path: String { "/greeting" }
}

let provider = ServiceProvider<Hello>()
let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
let response = try? await provider.download(service: .greeting, to: file)
print("Hello", response?.statusCode.description ?? "world")
