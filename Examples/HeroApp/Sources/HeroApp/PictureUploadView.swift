// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import HeroModel
import SwiftUI
import UniformTypeIdentifiers

/// A button that sends a picture, and its progress.
struct PictureUploadView: View {
    let upload: PictureUpload
    @State private var isChoosing = false
    @State private var picture: URL?

    var body: some View {
        // A Group would start and cancel the task with each of its views.
        VStack(alignment: .leading) {
            switch upload.state {
            case .idle:
                sendButton
            case .sending:
                ProgressView(value: upload.progress)
                Button("Cancel") { picture = nil }
            case .sent:
                Label("The server has the picture.", systemImage: "checkmark.circle")
                sendButton
            case .failed(let text):
                Label(text, systemImage: "exclamationmark.triangle")
                sendButton
            }
        }
        // Otherwise a tap anywhere in the row triggers the button.
        .buttonStyle(.borderless)
        .fileImporter(isPresented: $isChoosing, allowedContentTypes: [.image]) { result in
            picture = try? result.get()
        }
        // The task is cancelled when the picture changes or the view disappears.
        .task(id: picture) {
            guard let picture else { return }
            // The user has chosen this file, which allows the app to read it.
            let hasAccess = picture.startAccessingSecurityScopedResource()
            await upload.send(picture)
            if hasAccess { picture.stopAccessingSecurityScopedResource() }
            if self.picture == picture { self.picture = nil }
        }
    }

    private var sendButton: some View {
        Button("Send a picture") { isChoosing = true }
    }
}
#endif
