// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// All files of this module see Foundation and the core through ServiceProviderShared.
@_exported import ServiceProviderShared
