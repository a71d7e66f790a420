// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// ServiceProviderSupport exports Foundation and the core, so apps need only one import.
@_exported import ServiceProviderSupport
