// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Shares the places for running transfers between hosts. A transfer without a place waits.
///
/// One host alone can use all places. A host that has less than its share, which is the number of places divided by the
/// number of busy hosts, gets a place even if all are taken. So slow responses of one host can't stop the calls to
/// others. No more than twice as many transfers run as there are places.
struct CurlPlaces {
    private struct Host {
        var running = 0
        /// The tickets of the transfers that wait. Some may have ended.
        var queue: ArraySlice<Int> = []
    }

    /// The transfers that wait, by their tickets.
    private(set) var waiting: [Int: CurlTransfer] = [:]
    private var lastTicket = 0
    private(set) var running = 0
    private let limit: Int
    private let limitPerHost: Int
    /// The hosts for which transfers run or wait.
    private var hosts: [Int: Host] = [:]
    /// The hosts for which transfers wait, in the order of their turns.
    private var waitingHosts: [Int] = []
    /// Whether no transfer can start before another one ends or a connection is closed.
    var isShortOfFiles = false

    init(_ limit: Int, perHost: Int?) {
        self.limit = max(limit, 1)
        limitPerHost = max(perHost ?? limit, 1)
    }

    /// Whether no transfer runs or waits.
    var isEmpty: Bool { running == 0 && waiting.isEmpty }

    /// Whether a waiting transfer can get a place now.
    var hasNext: Bool { nextIndex != nil }

    // MARK: - Rules

    /// How many places each busy host can have at any time.
    private var share: Int { max(limit / max(hosts.count, 1), 1) }

    /// Whether a host with this many running transfers gets a place in any case.
    private func isBelowShare(_ own: Int) -> Bool {
        own < min(share, limitPerHost) && running < 2 * limit
    }

    /// Whether a host with this many running transfers gets one of the free places.
    private func isBelowLimit(_ own: Int) -> Bool {
        own < limitPerHost && running < limit
    }

    /// The index of the waiting host that gets the next place. Hosts below their share come first.
    private var nextIndex: Int? {
        guard !isShortOfFiles, !waitingHosts.isEmpty, running < 2 * limit else { return nil }
        return waitingHosts.firstIndex { isBelowShare(hosts[$0]?.running ?? 0) }
            ?? waitingHosts.firstIndex { isBelowLimit(hosts[$0]?.running ?? 0) }
    }

    // MARK: - Transfers

    /// Gives a place to a new transfer, or lets it wait. Returns whether it has a place.
    mutating func add(_ transfer: CurlTransfer) -> Bool {
        if hosts[transfer.host] == nil {
            // It counts as a busy one now.
            hosts[transfer.host] = Host()
        }
        let own = hosts[transfer.host]?.running ?? 0
        let isNext = isBelowShare(own) || waitingHosts.isEmpty && isBelowLimit(own)
        if isNext, !isShortOfFiles, hosts[transfer.host]?.queue.isEmpty == true {
            start(transfer)
            return true
        }
        let ticket = wait(transfer)
        hosts[transfer.host]?.queue.append(ticket)
        return false
    }

    /// Takes its place from a running transfer. It waits, and is the next one of its host to get a place.
    mutating func putBack(_ transfer: CurlTransfer) {
        hosts[transfer.host]?.running -= 1
        running -= 1
        let ticket = wait(transfer)
        let start = hosts[transfer.host]?.queue.startIndex ?? 0
        hosts[transfer.host]?.queue.insert(ticket, at: start)
    }

    private mutating func wait(_ transfer: CurlTransfer) -> Int {
        if hosts[transfer.host]?.queue.isEmpty == true {
            waitingHosts.append(transfer.host)
        }
        lastTicket += 1
        waiting[lastTicket] = transfer
        transfer.state = .waiting(lastTicket)
        return lastTicket
    }

    private mutating func start(_ transfer: CurlTransfer) {
        hosts[transfer.host]?.running += 1
        running += 1
        transfer.state = .running
    }

    /// Gives a place to a waiting transfer, and returns it. The hosts take turns.
    mutating func next() -> CurlTransfer? {
        while let index = nextIndex {
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
            isShortOfFiles = false
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
