// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI) && !os(tvOS)
import Foundation
import PhotosUI
import ServiceProvider
import SwiftUI
#if DEBUG
import ServiceProviderTesting
#endif

/// A button that chooses a picture from the photo library, and the progress of its upload.
struct PictureUploadView: View {
    let upload: PictureUpload
    @Binding var item: PhotosPickerItem?

    var body: some View {
        VStack(alignment: .leading) {
            switch upload.phase {
            case .idle:
                picker
            case .preparing:
                ProgressView("Reading the picture…")
                cancelButton
            case .sending(let fraction):
                ProgressView("Sending the picture…", value: fraction)
                cancelButton
            case .sent:
                Label("The server has the picture.", systemImage: "checkmark.circle")
                picker
            case .failed(let error):
                ErrorLabel(error: error)
                Button("Try again", action: upload.retry)
                picker
            }
        }
        // Otherwise a tap anywhere in the row triggers the button.
        .buttonStyle(.borderless)
    }

    private var picker: some View {
        PhotosPicker("Choose a picture", selection: $item, matching: .images)
    }

    private var cancelButton: some View {
        Button("Cancel") {
            item = nil
            upload.cancel()
        }
    }
}

extension View {
    /// Sends the chosen picture. For the view of a whole screen: the task of a row may be cancelled when the row
    /// scrolls off the screen.
    func sends(_ item: Binding<PhotosPickerItem?>, with upload: PictureUpload) -> some View {
        // The task is cancelled when the choice changes or the view disappears.
        task(id: PictureChoice(item: item.wrappedValue, retries: upload.retries)) {
            guard let item = item.wrappedValue else { return }
            await upload.send { try await copy(of: item) }
        }
        .onChange(of: upload.uploads) { item.wrappedValue = nil }
    }
}

/// The values that an upload depends on.
private struct PictureChoice: Equatable {
    let item: PhotosPickerItem?
    let retries: Int
}

private func copy(of item: PhotosPickerItem) async throws -> URL {
    guard let picture = try await item.loadTransferable(type: PickedPicture.self) else {
        throw ScreenError.unreadableFile
    }
    return picture.file
}

#if DEBUG
#Preview("Idle") {
    PictureUploadView(upload: .preview(.never), item: .constant(nil))
}

#Preview("Reading") {
    let upload = PictureUpload.preview(.never)
    PictureUploadView(upload: upload, item: .constant(nil))
        .task {
            await upload.send {
                try await Task.sleep(for: .seconds(3_600))
                return try .preview()
            }
        }
}

#Preview("Sending") {
    let upload = PictureUpload.preview(.never)
    PictureUploadView(upload: upload, item: .constant(nil))
        .task { await upload.send { try .preview() } }
}

#Preview("Sent") {
    let upload = PictureUpload.preview(.statusCode(204))
    PictureUploadView(upload: upload, item: .constant(nil))
        .task { await upload.send { try .preview() } }
}

#Preview("Failed") {
    let upload = PictureUpload.preview(.offline)
    PictureUploadView(upload: upload, item: .constant(nil))
        .task { await upload.send { try .preview() } }
}
#endif
#endif
