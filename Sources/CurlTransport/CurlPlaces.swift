// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Shares the places for running transfers between hosts. A transfer without a place waits.
///
/// A host gets another place only while more places are free than it has. So a single host gets
/// half of the places, the next one half of the rest, and so on. Slow responses of one host can't
/// stop the calls to others.
struct CurlPlaces {
    private struct Host {
        var running = 0
        /// The tickets of the transfers that wait. Some may have ended.
        var queue: ArraySlice<Int> = []
    }

    /// The transfers that wait, by their tickets.
    private(set) var waiting: [Int: CurlTransfer] = [:]
    private var lastTicket = 0
    private var running = 0
    private let limit: Int
    private var hosts: [Int: Host] = [:]
    /// The hosts for which transfers wait, in the order of their turns.
    private var waitingHosts: [Int] = []

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Whether no transfer runs or waits.
    var isEmpty: Bool { running == 0 && waiting.isEmpty }

    /// Whether a waiting transfer can get a place now.
    var hasNext: Bool { running < limit && waitingHosts.contains(where: hasPlace) }

    private func hasPlace(for host: Int) -> Bool {
        let own = hosts[host]?.running ?? 0
        return own < limit - running
    }

    /// Gives a place to a new transfer, or lets it wait. Returns whether it has a place.
    mutating func add(_ transfer: CurlTransfer) -> Bool {
        let host = hosts[transfer.host] ?? Host()
        if host.queue.isEmpty, host.running < limit - running {
            start(transfer)
            return true
        }
        if host.queue.isEmpty {
            waitingHosts.append(transfer.host)
        }
        lastTicket += 1
        waiting[lastTicket] = transfer
        hosts[transfer.host, default: Host()].queue.append(lastTicket)
        transfer.state = .waiting(lastTicket)
        return false
    }

    private mutating func start(_ transfer: CurlTransfer) {
        hosts[transfer.host, default: Host()].running += 1
        running += 1
        transfer.state = .running
    }

    /// Gives a place to a waiting transfer, and returns it. The hosts take turns.
    mutating func next() -> CurlTransfer? {
        while running < limit, let index = waitingHosts.firstIndex(where: hasPlace) {
            let host = waitingHosts.remove(at: index)
            let ticket = hosts[host]?.queue.popFirst()
            let transfer = ticket.flatMap { waiting.removeValue(forKey: $0) }
            if hosts[host]?.queue.isEmpty == false {
                waitingHosts.append(host)
            }
            if let transfer {
                start(transfer)
                return transfer
            }
            forget(host)
        }
        return nil
    }

    /// Call this when a transfer has ended, whether it ran or waited.
    mutating func remove(_ transfer: CurlTransfer) {
        switch transfer.state {
        case .running:
            hosts[transfer.host]?.running -= 1
            running -= 1
            forget(transfer.host)
        case .waiting(let ticket): waiting[ticket] = nil
        case .new, .cancelled, .ended: break
        }
    }

    /// Forgets a host without transfers.
    private mutating func forget(_ key: Int) {
        if let host = hosts[key], host.running == 0, host.queue.isEmpty {
            hosts[key] = nil
        }
    }
}
#endif
