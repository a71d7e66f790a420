// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import CoreTransferable
import Foundation
import UniformTypeIdentifiers

/// A copy of a picture from the photo library, in a temporary file.
nonisolated struct PickedPicture: Transferable {
    let file: URL

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(importedContentType: .image) { received in
            // The photo library deletes its own file when this returns.
            let name = "\(UUID().uuidString).\(received.file.pathExtension)"
            let copy = FileManager.default.temporaryDirectory.appendingPathComponent(name)
            try FileManager.default.copyItem(at: received.file, to: copy)
            return PickedPicture(file: copy)
        }
    }
}
#endif
