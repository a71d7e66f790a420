// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Observation
import ServiceProvider
import ServiceProviderTransfers

/// Uploads a picture of a hero, and reports the progress.
@MainActor @Observable
final class PictureUpload {
    /// The state of the view.
    nonisolated enum Phase: Equatable, Sendable {
        /// No upload has started, or the last one was cancelled.
        case idle
        /// The photo library is copying the picture, or loading it from iCloud.
        case preparing
        /// A part of the picture has been sent, from 0 to 1.
        case sending(Double)
        /// The server has the picture.
        case sent
        /// The picture couldn't be read or sent.
        case failed(ScreenError)
    }

    /// The phase that the view shows.
    private(set) var phase = Phase.idle
    /// How many uploads have succeeded. A view of the picture loads it again after a change.
    private(set) var uploads = 0
    /// Changes when the picture must be sent again.
    private(set) var retries = 0

    private let heroID: Int
    private let provider: ServiceProvider<HeroService>
    @ObservationIgnored private var newestCall = 0

    /// Creates an upload for a hero.
    init(heroID: Int, provider: ServiceProvider<HeroService>) {
        self.heroID = heroID
        self.provider = provider
    }

    // Otherwise, in an app with main-actor isolation by default, it crashes before iOS 18.4 and macOS 15.4.
    nonisolated deinit {}

    /// Uploads a file. It is read in chunks while it is sent, so it isn't loaded into memory.
    ///
    /// - Parameter copy: Returns a copy of the picture, which is deleted afterwards. It throws if
    ///   the picture can't be read.
    func send(_ copy: @MainActor () async throws -> URL) async {
        newestCall += 1
        let call = newestCall
        phase = .preparing
        let result = await result(of: call, copy)
        // An upload that is cancelled may end when the next one has started.
        guard call == newestCall else { return }
        phase = result
        if result == .sent {
            uploads += 1
        }
    }

    /// Shows that no upload is running. The view cancels the task that runs it, which may take a moment to end.
    func cancel() {
        newestCall += 1
        phase = .idle
    }

    /// Makes the view send the picture again, because it changes ``retries``.
    func retry() {
        retries += 1
    }

    private func result(of call: Int, _ copy: @MainActor () async throws -> URL) async -> Phase {
        do {
            let file = try await picked(copy)
            defer { try? FileManager.default.removeItem(at: file) }
            try Task.checkCancellation()
            show(0, of: call)
            try await reporting(call).load(service: .sendPicture(file, heroID: heroID))
            return .sent
        } catch ServiceError.cancelled {
            return .idle
        } catch is CancellationError {
            return .idle
        } catch {
            return .failed(ScreenError(error))
        }
    }

    private func picked(_ copy: @MainActor () async throws -> URL) async throws -> URL {
        do {
            return try await copy()
        } catch {
            try Task.checkCancellation()
            throw ScreenError.unreadableFile
        }
    }

    private func reporting(_ call: Int) -> ServiceProvider<HeroService> {
        provider.onProgress { [weak self] progress in
            guard let fraction = progress.fractionSent else { return }
            self?.show(fraction, of: call)
        }
    }

    private func show(_ fraction: Double, of call: Int) {
        guard call == newestCall else { return }
        phase = .sending(fraction)
    }
}
