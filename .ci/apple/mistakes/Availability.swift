// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// More APIs of newer systems. For each platform, the compiler must diagnose each line marked WRONG with the text of its
// mark, and no other. Lines marked NOT MAC are valid for macOS.

import Foundation
import Observation

func discardsResults() async {
    await withDiscardingTaskGroup { _ in }  // WRONG, OLD: 'withDiscardingTaskGroup(returning:isolation:body:)' is only available in
}

func countsBytes(_ bytes: Int128) {}  // WRONG: 'Int128' is only available in

func startsNow() {
    Task.immediate {}  // WRONG: 'immediate(name:priority:executorPreference:operation:)' is only available in
}

struct Cache {
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)  // WRONG: stored properties cannot be marked
    var size: Int128 = 0
}

func checksMacOnly() {
    if #available(macOS 15, *) {
        _ = Int128(1)  // WRONG, NOT MAC: 'Int128' is only available in
    }
}

func tracks(_ registrar: ObservationRegistrar) {}  // WRONG, OLD: 'ObservationRegistrar' is only available in
