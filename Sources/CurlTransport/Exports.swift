// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// All files of this module see these modules. ServiceProvider is exported, so that apps need only one import.
@_exported import Foundation
@_exported import ServiceProvider
