// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Ends uploads that only wait for more bytes of their stream, although the response is complete.
extension CurlMulti {
    /// A running transfer that sends a stream. It may end while libcurl waits for the rest of its body.
    struct StreamUpload {
        let transfer: CurlTransfer
        /// The sockets that libcurl watches for it. Nil before the first one.
        var watched: Set<Int32>?
    }

    /// libcurl watches a socket for a transfer, or stops to.
    ///
    /// - Parameter what: libcurl's number: 1 for reading, 2 for writing, 3 for both, 4 for nothing.
    func watch(_ socket: Int32, for what: Int32, _ easy: UnsafeMutableRawPointer?) {
        poll.watch(socket, for: what)
        guard let easy, let upload = streamUploads[easy] else { return }
        if what == 4 {
            streamUploads[easy]?.watched?.remove(socket)
            reviewLater(upload.transfer)
        } else {
            streamUploads[easy]?.watched = (upload.watched ?? []).union([socket])
        }
    }

    /// Call this when the response of a transfer may have ended, although its upload waits for bytes. libcurl would wait
    /// for them.
    func reviewLater(_ transfer: CurlTransfer) {
        if transfer.upload.waitsForStream {
            toReview.append(transfer)
        }
    }

    /// Ends transfers that only wait for more of their upload.
    func endReviewed() {
        var transfers: [CurlTransfer] = []
        swap(&transfers, &toReview)
        for transfer in transfers {
            // A paused download has bytes that haven't been delivered.
            guard transfer.upload.waitsForStream, transfer.download.flow == .flowing else {
                continue
            }
            // libcurl has received all, or the connection is closed. It reports that itself if several requests share
            // the connection, and says nothing about their sockets.
            let isShared = transfer.route.connection?.isShared == true
            let watched = transfer.easy.flatMap { streamUploads[$0]?.watched }
            let isCutOff = !isShared && watched?.isEmpty == true
            if transfer.download.isComplete || isCutOff {
                end(transfer, finalError(of: transfer, 0))
            }
        }
    }
}
#endif
