// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Observation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

/// Uploads a picture of a hero, and reports the progress.
@Observable
public final class PictureUpload {
    /// A state of an upload.
    public enum State: Equatable {
        /// No upload has started, or the last one was cancelled.
        case idle
        /// The upload is running.
        case sending
        /// The server has received the picture.
        case sent
        /// The upload failed, for this reason.
        case failed(String)
    }

    /// The state of the latest upload.
    public private(set) var state = State.idle
    /// How much of the file has been sent, from 0 to 1.
    public private(set) var progress = 0.0

    private let heroID: Int
    private let provider: ServiceProvider<HeroService>
    private var newestCall = 0

    /// Creates an upload for a hero.
    public init(heroID: Int, provider: ServiceProvider<HeroService>) {
        (self.heroID, self.provider) = (heroID, provider)
    }

    /// Uploads a file. It is read in chunks while it is sent, so it isn't loaded into memory.
    public func send(_ file: URL) async {
        newestCall += 1
        let call = newestCall
        (state, progress) = (.sending, 0)
        let provider = provider.onProgress { [weak self] update in
            guard let self, call == newestCall, let total = update.totalToSend, total > 0
            else { return }
            progress = Double(update.sent) / Double(total)
        }
        let end: State
        do {
            try await provider.load(service: .picture(file, heroID: heroID))
            end = .sent
        } catch ServiceError.cancelled {
            end = .idle
        } catch {
            end = .failed(error.screenText)
        }
        // An upload that is cancelled may end when the next one has started.
        if call == newestCall { state = end }
    }
}
