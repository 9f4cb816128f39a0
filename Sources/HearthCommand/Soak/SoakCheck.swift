internal import DataTree
internal import JSONText

/// Judges what clients recorded by what the nodes hold in the end.
struct SoakCheck {
    struct Finding: Equatable {
        let claim: String
        /// What was looked at, or the record that is not as claimed.
        let details: String
        let holds: Bool
    }

    let records: [SoakRecord]
    /// The trees of all nodes.
    let trees: [(node: String, tree: Value)]
    /// When a node lost its disk, in milliseconds: what it alone had acknowledged just before went
    /// with it.
    let wipes: [Int]

    /// How long before the loss of a disk an acknowledged write may be on that disk alone.
    private static let wipeWindow = 2000

    /// One finding a claim, in order.
    var findings: [Finding] {
        [replicasEqual, pushesThere, nothingInvented, incrementsAddUp, lastWriteStands, pairsWhole]
    }

    /// Acknowledged writes that need not be there.
    var exemptedCount: Int { records.count { $0.outcome == .acknowledged && mayBeLost($0) } }

    private func mayBeLost(_ record: SoakRecord) -> Bool {
        guard let completed = record.completedMilliseconds else { return false }
        return wipes.contains { $0 >= completed && $0 - completed <= SoakCheck.wipeWindow }
    }

    private var must: [SoakRecord] {
        records.filter { $0.outcome == .acknowledged && !mayBeLost($0) }
    }

    private func finding(
        _ claim: String, _ details: String, unless witness: String?
    ) -> Finding {
        Finding(claim: claim, details: witness ?? details, holds: witness == nil)
    }
}

// MARK: - Claims

extension SoakCheck {
    private var replicasEqual: Finding {
        let texts = trees.map { JSONWriter.bytes(of: $0.tree, form: .export) }
        let other = texts.firstIndex { $0 != texts[0] }
        return finding(
            "all nodes hold the same, byte by byte",
            "\(trees.count) trees of \(texts.first?.count ?? 0) bytes",
            unless: other.map { "\(trees[$0].node) differs from \(trees[0].node)" })
    }

    private var pushesThere: Finding {
        var count = 0
        for record in must {
            guard case .push = record.work else { continue }
            count += 1
            for (node, tree) in trees where tree[record.writes.path] != record.value {
                return finding(Self.pushesClaim, "", unless: "\(node) lacks: \(record)")
            }
        }
        return finding(
            Self.pushesClaim, "\(count) pushes",
            unless: count == 0 ? "no push was acknowledged" : nil)
    }

    private static let pushesClaim = "each acknowledged push is on every node, with its value"

    private var nothingInvented: Finding {
        var asked: [Key: Value] = [:]
        for record in records {
            if case .push(let key) = record.work { asked[key] = record.value }
        }
        let list = trees.first?.tree[SoakPlaces.list].children ?? Children()
        let stranger = list.first { asked[$0.key] != $0.value }
        return finding(
            "no child is there that nobody pushed", "\(list.count) children",
            unless: stranger.map { "\(SoakPlaces.list)/\($0.key) is \($0.value)" })
    }

    private var incrementsAddUp: Finding {
        let increments = records.filter { if case .increment = $0.work { true } else { false } }
        let least = must.count { if case .increment = $0.work { true } else { false } }
        let most = increments.count { $0.outcome != .failed }
        let counter = trees.first?.tree[SoakPlaces.counter].number?.asDouble ?? 0
        let isRight = Double(least) <= counter && counter <= Double(most)
        return finding(
            "the counter shows each acknowledged increment once",
            "\(Int(counter)), of \(least) to \(most)",
            unless: isRight ? nil : "it is \(counter), not from \(least) to \(most)")
    }

    /// Also one of unknown outcome, which a paused node may do much later, keeps its place.
    private var lastWriteStands: Finding {
        var last: [Int: SoakRecord] = [:]
        for record in records {
            guard case .set = record.work else { continue }
            if record.outcome == .acknowledged, !mayBeLost(record) { last[record.client] = record }
        }
        for (client, record) in last.sorted(by: { $0.key < $1.key }) {
            let place = SoakPlaces.own(client)
            let value = Int(trees.first?.tree[place].number?.asDouble ?? -1)
            if value < record.number {
                return finding(Self.lastWriteClaim, "", unless: "\(place) is \(value): \(record)")
            }
        }
        return finding(Self.lastWriteClaim, "\(last.count) places", unless: nil)
    }

    private static let lastWriteClaim =
        "no older write of a client stands over a newer one"

    private var pairsWhole: Finding {
        let pairs = trees.first?.tree[SoakPlaces.pairs].children ?? Children()
        let broken = pairs.first { pair in
            pair.value[Key(unchecked: "a")] != pair.value[Key(unchecked: "b")]
        }
        return finding(
            "what was written together is there together", "\(pairs.count) pairs",
            unless: broken.map { "\(SoakPlaces.pairs)/\($0.key) is \($0.value)" })
    }
}
