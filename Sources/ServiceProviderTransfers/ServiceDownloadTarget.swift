// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Where a download puts its file.
nonisolated struct ServiceDownloadTarget: Sendable {
    /// The file, or the folder for a file with the name that the server suggests.
    let place: URL
    let isFolder: Bool
    let options: ServiceDownloadOptions

    var folder: URL { isFolder ? place : place.deletingLastPathComponent() }

    /// The complete file.
    func file(for response: ServiceResponse) -> URL {
        isFolder ? place.appendingPathComponent(response.suggestedFilename) : place
    }

    /// Throws if the file can't be created. Creates the folder if the options say so.
    func prepare() throws {
        guard place.isFileURL else {
            let scheme = place.scheme ?? ""
            throw ServiceError.file(reason: "the URL's scheme is '\(scheme)', not 'file'")
        }
        guard !isFolder || !options.contains(.resume) else {
            let reason =
                "a download into a folder can't be resumed, because the server names the file"
            throw ServiceError.file(reason: reason)
        }
        let files = FileManager.default
        if options.contains(.createFolders) {
            try creating(folder) {
                try files.createDirectory(at: folder, withIntermediateDirectories: true)
            }
        } else if !files.fileExists(atPath: folder.path) {
            throw ServiceError.file(reason: "the folder '\(folder.path)' doesn't exist")
        }
        if !isFolder {
            try check(place)
        }
    }

    /// Throws if there is a file that mustn't be replaced, or anything else.
    func check(_ file: URL) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard let type = attributes?[.type] as? FileAttributeType else { return }
        guard type != .typeRegular || !options.contains(.overwrite) else { return }
        let problem =
            switch type {
            case .typeRegular: "exists already"
            case .typeDirectory: "is a folder"
            case .typeSymbolicLink: "is a symbolic link, which isn't replaced"
            default: "isn't a regular file"
            }
        // The server may have chosen the name, so errors don't quote it.
        let subject =
            isFolder ? "the item with the suggested name in '\(place.path)'" : "'\(file.path)'"
        throw ServiceError.file(reason: "\(subject) \(problem)")
    }

    /// Runs a closure that creates a file or a folder, and says in its error which.
    func creating<Value>(_ url: URL, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch is ServiceFileLock.Taken {
            // Two downloads would mix their bytes.
            throw ServiceError.file(reason: "another download writes to '\(url.path)'")
        } catch is ServiceDownloadFiles.Foreign {
            let reason = "a download of another user writes to '\(url.path)', or was stopped"
            throw ServiceError.file(reason: reason)
        } catch {
            throw ServiceError.file(reason: "'\(url.path)': \(CocoaError.text(of: error))")
        }
    }
}
