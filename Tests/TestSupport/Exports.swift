// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Turns of tests, which targets without the library's modules need, too.
@_exported import TestTraits
