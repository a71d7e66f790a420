// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A module that Apple's platforms don't have, without `#if canImport(FoundationNetworking)`.

import Foundation
import FoundationNetworking  // WRONG: no such module 'FoundationNetworking'

func request(_ url: URL) -> URLRequest { URLRequest(url: url) }
