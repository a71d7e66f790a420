// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceMediaType {
    /// Whether a body of this type may be text in which secrets can't be found.
    var isXMLOrMultipart: Bool { name.hasSuffix("xml") || name.hasPrefix("multipart/") }
}
