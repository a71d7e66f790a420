// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderTransfers

extension ServiceEvent {
    init(
        _ data: String, name: String = "message", id: String = "", retry: TimeInterval? = nil
    ) {
        self.init(data: data, name: name, id: id, retry: retry)
    }
}
