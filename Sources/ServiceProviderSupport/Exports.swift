// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// All files of this module see these modules.
@_exported import Foundation
@_exported import ServiceProvider

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
