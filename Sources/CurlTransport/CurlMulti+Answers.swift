// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Responses that end before the body of their request.
extension CurlMulti {
    /// Ends the transfers whose response is complete, or whose connection is closed, while the stream
    /// of their upload has no bytes. libcurl would wait for these bytes.
    func endAnswered() {
        // Ending one can add others.
        while let (transfer, socket) = answered.popLast() {
            guard transfer.isUploadPaused, !transfer.isDownloadPaused, !transfer.isHeldBack,
                !transfer.isEnded
            else { continue }
            // libcurl says whether it has received the last chunk once its upload has ended. The end must
            // not reach the server, which would take the body for complete.
            if transfer.hasBegun, transfer.head.isChunked {
                endUpload(of: transfer, socket)
            } else {
                end(transfer, outcome(of: transfer, 0))
            }
        }
    }

    /// Ends an upload without telling the server: replaces its socket by one that leads nowhere. After the
    /// headers of the response, the transfer has no other socket.
    private func endUpload(of transfer: CurlTransfer, _ socket: Int32) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let easy = transfer.easy, socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            return end(transfer, CurlTransfer.lost)
        }
        poll.watch(socket, for: 4)
        try? transfer.set(CCURL_FORBID_REUSE, 1)
        (transfer.isUploadOver, transfer.isUploadPaused) = (true, false)
        let isReplaced = dup2(pair[0], socket) >= 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0
        Glibc.close(pair[0])
        // The other end stays open until then, so that writing succeeds.
        let code = isReplaced ? curl.pointee.easy_pause(easy, 0) : 55
        if code == 0 { act(on: socket, 2) }
        if code == 0, timer <= now { act(on: -1, 0) }
        endDone()
        Glibc.close(pair[1])
        end(transfer, CurlTransfer.lost)
    }

    /// Call this when a transfer has received something, or has paused its upload.
    func checkAnswer(of transfer: CurlTransfer) {
        guard transfer.isUploadPaused, transfer.hasBegun else { return }
        check = min(check, now + transfer.idleTimeout)
        if transfer.isAnswered { answered.append((transfer, -1)) }
    }

    /// Returns the error of a transfer that has ended, or nil if it succeeded.
    func outcome(of transfer: CurlTransfer, _ code: Int32) -> (any Error)? {
        if let failure = transfer.failure { return failure }
        guard code == 0 || transfer.hasBegun && hasReset(transfer, code) else {
            return error(code, of: transfer)
        }
        let wire = ccurl_get_size(curl, transfer.easy, Int32(CCURL_INFO_SIZE_DOWNLOAD))
        do {
            try transfer.check(wire: wire)
            return nil
        } catch {
            return error
        }
    }

    /// Whether libcurl has reset the stream because its response ended before the request did. Such a response is
    /// complete (libcurl 8.11.0 and later). Only the text says so.
    private func hasReset(_ transfer: CurlTransfer, _ code: Int32) -> Bool {
        let text = transfer.message.map { String(cString: $0) } ?? ""
        return code == 92 && text.contains("reset by curl (error 0x5 ")
    }
}
#endif
