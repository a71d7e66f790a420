// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import SwiftUI

/// The text of an error, and a button to try again.
struct ErrorView: View {
    let text: String
    let retry: @MainActor () async -> Void

    var body: some View {
        Section {
            Label(text, systemImage: "exclamationmark.triangle")
            Button("Try again") {
                Task { await retry() }
            }
        }
    }
}
#endif
