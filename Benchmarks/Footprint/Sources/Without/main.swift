// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Greeting: Decodable { let text: String }

let request = URLRequest(url: URL(fileURLWithPath: "/greeting"))
let greeting = try? JSONDecoder().decode(Greeting.self, from: request.httpBody ?? Data())
print("Hello", greeting?.text ?? "world")
