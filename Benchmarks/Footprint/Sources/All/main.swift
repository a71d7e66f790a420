// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTransfers

struct Greeting: Decodable { let text: String }

enum Hello: Service {
    case greeting
    var baseURL: String { "http://127.0.0.1:1" }
    var path: String { "/greeting" }
}

let provider = ServiceProvider<Hello>(
    interceptors: [ServiceCache(), ServiceLog(), ServiceRetry()])
let greeting = try? await provider.load(service: .greeting, decodeType: Greeting.self)
if let greeting {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(greeting.text)
    try await provider.download(service: .greeting, to: file)
}
print("Hello", greeting?.text ?? "world")
