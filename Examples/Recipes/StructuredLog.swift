// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Calls in swift-log, with levels and fields.

import Foundation
import ServiceProvider
import ServiceProviderExtras

// https://github.com/apple/swift-log
#if canImport(Logging)
import Logging
#endif

/// Writes each call to a logger of swift-log, which filters by level:
/// `ServiceProvider<HeroService>(interceptors: [callLog(Logger(label: "api"))])`.
func callLog(_ logger: Logger, _ contents: ServiceLog.Contents = .line) -> ServiceLog {
    ServiceLog(contents) { entry in
        logger.log(
            level: Logger.Level(rawValue: entry.level.rawValue) ?? .error,
            "\(entry.message)",
            metadata: entry.fields.mapValues { Logger.MetadataValue.string($0) })
    }
}
