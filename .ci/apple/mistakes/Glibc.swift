// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A module that only Linux has.

import Foundation
import Glibc  // WRONG: no such module 'Glibc'

func number() -> Int32 { errno }
