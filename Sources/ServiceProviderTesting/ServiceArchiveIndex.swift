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
    private var similar: [Set<String>: [[ServiceRequestKey.Part: Int]: SimilarGroups]] = [:]

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
            let equal = Dictionary(grouping: groups) { keys[$0].counts(without: names) }
            similar[names] = equal.mapValues { SimilarGroups($0, names, keys) }
        }
    }

    /// The groups that may match one of these forms of a request.
    func candidates(for forms: [ServiceRequestKey]) -> Set<Int> {
        var candidates: Set<Int> = []
        for form in forms {
            for (names, groups) in similar {
                guard let groups = groups[form.counts(without: names)] else { continue }
                candidates.formUnion(groups.candidates(for: form, names))
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
    func nearest(to forms: [ServiceRequestKey]) -> String? {
        var nearest: (rank: (Int, Int, Int), text: String)?
        for key in keys {
            for form in forms where (form.body == nil) == (key.body == nil) {
                let names = form.differences(from: key)
                let common = zip(key.path.utf8, form.path.utf8).prefix { $0 == $1 }.count
                let rank = (names.contains("path") ? 1 : 0, names.count, -common)
                if let nearest, nearest.rank <= rank { continue }
                let differences = names.joined(separator: ", ")
                nearest = (rank, "'\(key.method) \(key.path)', differs in: \(differences)")
            }
        }
        return nearest?.text
    }
}

/// Groups that differ only in their parts with a `***`.
///
/// Each is found by a sequence of eight bytes in these parts that few other groups have. A group without
/// a sequence is always a candidate.
private nonisolated struct SimilarGroups {
    private var groups: [UInt64: [Int]] = [:]
    private var withoutSequence: [Int] = []

    init(_ all: [Int], _ names: Set<String>, _ keys: [ServiceRequestKey]) {
        guard all.count > 1 else {
            withoutSequence = all
            return
        }
        func sequences(_ group: Int) -> Set<UInt64> {
            var sequences: Set<UInt64> = []
            keys[group].forEachSequence(of: names, isRecorded: true) { sequences.insert($0) }
            return sequences
        }
        var counts: [UInt64: Int] = [:]
        for group in all {
            for sequence in sequences(group) { counts[sequence, default: 0] += 1 }
        }
        for group in all {
            let rarest = sequences(group).min { counts[$0, default: 0] < counts[$1, default: 0] }
            if let rarest {
                groups[rarest, default: []].append(group)
            } else {
                withoutSequence.append(group)
            }
        }
    }

    /// The groups that may match a request.
    func candidates(for key: ServiceRequestKey, _ names: Set<String>) -> Set<Int> {
        var candidates = Set(withoutSequence)
        var known: Set<UInt64> = []
        guard !groups.isEmpty else { return candidates }
        key.forEachSequence(of: names, isRecorded: false) { sequence in
            guard let groups = groups[sequence], known.insert(sequence).inserted else { return }
            candidates.formUnion(groups)
        }
        return candidates
    }
}
