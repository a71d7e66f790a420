// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Finds the entries of an archive that match a request.
///
/// Entries with equal keys are one group: a request matches all of them or none. Each entry is also in a
/// group of entries that differ only in their bodies, for requests with a body that isn't in memory.
nonisolated struct ServiceArchiveIndex {
    /// The key of each group.
    private var keys: [ServiceRequestKey] = []
    /// The numbers of the entries of each group, in order.
    private(set) var entries: [[Int]] = []
    /// The groups, by the names of their parts with a `***`, and by their other parts.
    private var similar: [Set<String>: [[ServiceRequestKey.Part: Int]: [Int]]] = [:]

    init(_ recorded: [ServiceRequestKey]) {
        var groups: [ServiceRequestKey: Int] = [:]
        for (number, key) in recorded.enumerated() {
            for key in [key, key.withoutBody] {
                let group = groups[key] ?? keys.count
                if group == keys.count {
                    groups[key] = group
                    keys.append(key)
                    entries.append([])
                }
                entries[group].append(number)
            }
        }
        for (names, groups) in Dictionary(grouping: keys.indices, by: { keys[$0].wildcards }) {
            similar[names] = Dictionary(grouping: groups) { keys[$0].counts(without: names) }
        }
    }

    /// The groups that may match one of these forms of a request.
    func candidates(for forms: [ServiceRequestKey]) -> Set<Int> {
        var candidates: Set<Int> = []
        for form in forms {
            for (names, groups) in similar {
                candidates.formUnion(groups[form.counts(without: names), default: []])
            }
        }
        return candidates
    }

    /// Whether a group matches one of these forms of a request.
    func isMatch(_ group: Int, for forms: [ServiceRequestKey]) -> Bool {
        forms.contains { $0.differences(from: keys[group]).isEmpty }
    }

    /// The entry with the fewest differences, and their names. A different path counts most, then the
    /// number of differences, then the length of the path's common start.
    ///
    /// - Parameter request: Decides what is secret in a path.
    func nearest(to forms: [ServiceRequestKey], for request: ServiceRequest) -> String? {
        var nearest: (rank: (Int, Int, Int), text: String)?
        for key in keys {
            for form in forms where (form.body == nil) == (key.body == nil) {
                let names = form.differences(from: key)
                let common = zip(key.path.utf8, form.path.utf8).prefix { $0 == $1 }.count
                let rank = (names.contains("path") ? 1 : 0, names.count, -common)
                if let nearest, nearest.rank <= rank {
                    continue
                }
                let path = request.redacting(url: key.path)
                let differences = names.joined(separator: ", ")
                nearest = (rank, "'\(key.method) \(path)', differs in: \(differences)")
            }
        }
        return nearest?.text
    }
}
