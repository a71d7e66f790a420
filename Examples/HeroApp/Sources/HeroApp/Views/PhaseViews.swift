// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import SwiftUI

/// The part of a phase that is shown above the content.
struct PhaseRow<Value>: View {
    let phase: Phase<Value>
    let retry: @MainActor () -> Void

    var body: some View {
        switch phase {
        case .refreshing:
            ProgressView("Loading…")
        case .outdated(_, let error):
            Section {
                ErrorLabel(error: error)
                Button("Try again", action: retry)
            }
        case .loading, .loaded, .empty, .failed:
            EmptyView()
        }
    }
}

/// The part of a phase that is shown in place of the content.
struct PhaseOverlay<Value, Empty: View>: View {
    let phase: Phase<Value>
    let retry: @MainActor () -> Void
    @ViewBuilder let empty: (Value) -> Empty

    var body: some View {
        switch phase {
        case .loading:
            ProgressView("Loading…")
        case .empty(let value):
            empty(value)
        case .failed(let error):
            ContentUnavailableView {
                ErrorLabel(error: error)
            } actions: {
                Button("Try again", action: retry)
            }
        case .loaded, .refreshing, .outdated:
            EmptyView()
        }
    }
}

/// The text of an error.
struct ErrorLabel: View {
    let error: ScreenError

    var body: some View {
        Label {
            text
        } icon: {
            Image(systemName: "exclamationmark.triangle")
        }
    }

    private var text: Text {
        switch error {
        case .message(let words): Text(verbatim: words)
        case .unreachable: Text("The heroes can't be reached. Are you online?")
        case .serverProblem: Text("The heroes are having a problem. Try again later.")
        case .unreadableFile: Text("The picture can't be read.")
        case .other: Text("Something went wrong.")
        }
    }
}

#if DEBUG
#Preview("Errors") {
    List {
        ErrorLabel(error: .message("The server's own words."))
        ErrorLabel(error: .unreachable)
        ErrorLabel(error: .serverProblem)
        ErrorLabel(error: .unreadableFile)
        ErrorLabel(error: .other)
    }
}
#endif
#endif
