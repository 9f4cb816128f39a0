internal import DataTree
internal import JSONText

/// Judges the records of clients by the nodes' trees at the end.
struct SoakCheck {
    struct Finding: Equatable {
        let claim: String
        /// The extent of the check, or the record that violates it.
        let details: String
        let holds: Bool
    }

    /// A node lost its disk, and with it writes that it alone had just acknowledged.
    struct Wipe {
        let node: String
        let milliseconds: Int
    }

    let records: [SoakRecord]
    let reads: [SoakRead]
    /// The trees of all nodes.
    let trees: [(node: String, tree: Value)]
    let wipes: [Wipe]
    /// The result of reading the records that were loaded first; nil without such records.
    var bulk: Finding?

    /// How long before the loss of a disk, in milliseconds, an acknowledged write may be on that disk alone.
    private static let wipeWindow = 2000

    /// One finding a claim, in order.
    var findings: [Finding] {
        [
            replicasEqual, pushesThere, nothingInvented, incrementsAddUp, lastWriteStands,
            pairsWhole,
            ownWritesShow, readsAscend,
        ] + (bulk.map { [$0] } ?? [])
    }

    /// Acknowledged writes that may be missing.
    var exemptedCount: Int { records.count { $0.outcome == .acknowledged && mayBeLost($0) } }

    private func mayBeLost(_ record: SoakRecord) -> Bool {
        guard let node = record.node, let completed = record.completedMilliseconds else {
            return false
        }
        return wipes.contains {
            $0.node == node && completed <= $0.milliseconds
                && $0.milliseconds - completed <= SoakCheck.wipeWindow
        }
    }

    private var must: [SoakRecord] {
        records.filter { $0.outcome == .acknowledged && !mayBeLost($0) }
    }
}

extension SoakCheck.Finding {
    /// A check without anything to check is not a success.
    static func of(
        _ claim: String, _ count: Int, _ what: String, unless witness: String?
    ) -> SoakCheck.Finding {
        let failure = witness ?? (count == 0 ? "there were no \(what)" : nil)
        return SoakCheck.Finding(
            claim: claim, details: failure ?? "\(count) \(what)", holds: failure == nil)
    }
}

// MARK: - Claims

extension SoakCheck {
    private var first: Value { trees.first?.tree ?? .null }

    private var replicasEqual: Finding {
        let texts = trees.map { JSONWriter.bytes(of: $0.tree, form: .export) }
        let other = texts.firstIndex { $0 != texts[0] }
        return .of(
            "all nodes hold the same, byte by byte", first.isNull ? 0 : texts[0].count,
            "bytes at each of \(trees.count) nodes",
            unless: other.map { "\(trees[$0].node) differs from \(trees[0].node)" })
    }

    private var pushesThere: Finding {
        let pushes = must.filter { if case .push = $0.work { true } else { false } }
        var missing: String?
        for record in pushes where missing == nil {
            let node = trees.first { $0.tree[record.writes.path] != record.value }?.node
            missing = node.map { "\($0) lacks: \(record)" }
        }
        return .of(
            "each acknowledged push is on every node, with its value", pushes.count,
            "acknowledged pushes", unless: missing)
    }

    private var nothingInvented: Finding {
        var asked: [Key: Value] = [:]
        for record in records {
            if case .push(let key) = record.work { asked[key] = record.value }
        }
        let list = first[SoakPlaces.list].children
        let unknownPeer = list.first { asked[$0.key] != $0.value }
        return .of(
            "each child was pushed by a client", list.count, "children",
            unless: unknownPeer.map { "\(SoakPlaces.list)/\($0.key) is \($0.value)" })
    }

    private var incrementsAddUp: Finding {
        let increments = records.filter { if case .increment = $0.work { true } else { false } }
        let least = must.count { if case .increment = $0.work { true } else { false } }
        let most = increments.count { $0.outcome != .failed }
        let counter = first[SoakPlaces.counter].number?.asDouble ?? 0
        let isRight = Double(least) <= counter && counter <= Double(most)
        return .of(
            "the counter shows each acknowledged increment once", least,
            "acknowledged increments, and \(most - least) others that may count",
            unless: isRight ? nil : "it is \(counter), not from \(least) to \(most)")
    }

    /// Even a write of unknown outcome, which a paused node may do much later, keeps its place in the order.
    private var lastWriteStands: Finding {
        var last: [Path: SoakRecord] = [:]
        for record in must {
            switch record.work {
            case .set, .pair: last[record.writes.path] = record
            case .push, .increment: continue
            }
        }
        let older = last.sorted { $0.key.description < $1.key.description }.first { path, record in
            number(at: path, of: record.work) < record.number
        }
        return .of(
            "no older write of a client stands over a newer one", last.count, "places",
            unless: older.map { "\($0.key) is \(first[$0.key]): \($0.value)" })
    }

    /// The number of the write that shows; of a pair, of its older side.
    private func number(at path: Path, of work: SoakRecord.Work) -> Int {
        let paths = if case .pair = work { SoakPlaces.sides.map(path.appending) } else { [path] }
        return paths.map { Int(first[$0].number?.asDouble ?? -1) }.min() ?? -1
    }

    private var pairsWhole: Finding {
        let pairs = first[SoakPlaces.pairs].children
        let broken = pairs.first { pair in
            let sides = SoakPlaces.sides.map { pair.value[$0] }
            return sides[0] != sides[1] || sides[0].isNull
        }
        return .of(
            "what was written together is there together", pairs.count, "pairs",
            unless: broken.map { "\(SoakPlaces.pairs)/\($0.key) is \($0.value)" })
    }

    private var ownWritesShow: Finding {
        let (count, witness) = SoakSessions(records: records, reads: reads).readYourWrites()
        return .of(
            "a client that moves reads what it wrote, at any node", count, "reads after writes",
            unless: witness)
    }

    private var readsAscend: Finding {
        let (count, witness) = SoakSessions(records: records, reads: reads).monotonicReads()
        return .of(
            "no read of such a client shows less than the one before", count, "reads after reads",
            unless: witness)
    }
}
