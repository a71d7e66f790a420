// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Opens and closes connections.
extension CurlMulti {
    /// Opens a socket for a connection. Nil if that would take one of the last file descriptors, which the rest of the
    /// process needs. A transfer that runs alone may take it.
    func open(_ address: ccurl_address) -> Int32? {
        let socket = socket(address.family, address.type | ccurl_close_on_exec, address.protocol)
        let isLast = ccurl_is_short_of_files(socket) && (socket < 0 || running.count > 1)
        guard !isLast else {
            if socket >= 0 {
                close(socket)
            }
            return nil
        }
        if socket >= 0 {
            poll.add(socket)
        }
        return socket
    }

    func willClose(_ socket: Int32) {
        connections.close(socket)
        poll.remove(socket)
        places.isShortOfFiles = false
    }

    /// Lets a transfer use a connection. Returns whether it can.
    func admit(_ transfer: CurlTransfer, to key: CurlConnections.Key) -> Bool {
        let entry = connections.admit(
            key, opened: transfer.route.opened, isAgain: transfer.route.timesSent > 0,
            mayBeShared: transfer.version.isMultiplexed,
            hasInput: { ccurl_has_tls_input(curl, transfer.easy) })
        guard case .admitted(let connection) = entry else { return false }
        transfer.route.connection = connection
        return true
    }

    func leave(_ connection: CurlConnections.Connection) {
        connections.leave(connection, now: now)
    }

    // MARK: - Too many open files

    /// Whether a transfer has failed because the process has too many open files, and some of them will be closed.
    func canWaitForFiles(_ transfer: CurlTransfer) -> Bool {
        guard transfer.route.timesSent == 0 else { return false }
        guard running.count > 1 || poll.socketCount > 0 else { return false }
        return switch transfer.route.refusal {
        case .tooManyFiles: true
        case .privateAddress, .unfitConnection: false
        // A name lookup needs files, too, and so do certificates.
        case nil: poll.isShortOfFiles
        }
    }

    /// Lets a transfer wait until another one ends or a connection is closed.
    func waitForFiles(_ transfer: CurlTransfer) {
        detach(transfer)
        transfer.leaveConnection()
        transfer.route.refusal = nil
        // It may have that of a proxy.
        transfer.download.head = CurlHead(transfer.version)
        places.putBack(transfer)
        places.isShortOfFiles = true
        connections.shutDownAll(now: now)
    }

    // MARK: - Idle connections

    /// Closes idle connections. libcurl closes those that are broken, but only when a request starts. So this shuts them
    /// down, and starts a request that opens no connection.
    func closeIdle() {
        guard now >= connections.nextCheck else { return }
        guard connections.mustSweep(now: now) else { return }
        guard sweeper == nil, let easy = ccurl_sweeper(curl) else { return }
        sweeper = easy
        guard curl.pointee.multi_add_handle(multi, easy) == 0 else { return endSweep() }
        act(on: -1, 0)
    }

    func endSweep() {
        guard let easy = sweeper.take() else { return }
        _ = curl.pointee.multi_remove_handle(multi, easy)
        curl.pointee.easy_cleanup(easy)
    }
}
#endif
