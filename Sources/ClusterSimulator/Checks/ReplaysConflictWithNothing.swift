import DataTree
import SyncProtocol

extension Check {
    package static let replaysConflictWithNothing: Check = Check(
        "replays-conflict-with-nothing", judges: .nodes, guarantees: "D1",
        claim: "an evicted node replays only at empty locations",
        criterion: """
            an evicted node replays writes only at empty locations; increments add up (runs of \
            up to 300 operations)
            """,
        evaluate: ReplaysConflictWithNothing.evaluate)
}

/// An evicted node that rejoins replays its writes only at empty locations: they are no newer than the data of all
/// other nodes. It quarantines all others under `_conflicts`.
enum ReplaysConflictWithNothing {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.isSmall else {
            return .unknown("trees are kept in runs of up to 300 operations")
        }
        let stamps = Set(evidence.recording.issued.map(\.operation.stamp))
        var count = 0
        for replay in evidence.recording.issued {
            let isReplay = replay.operation.isReplay(of: stamps)
            let writes = isReplay ? replay.operation.writes : replay.operation.kept
            guard !writes.isEmpty,
                let before = value(before: replay, at: writes.map(\.path), evidence.recording)
            else {
                continue
            }
            count += 1
            if !isReplay, !replay.operation.isKeptInDoubt,
                let done = replay.transactionDone(in: evidence.recording)
            {
                return .invalid(
                    "a transaction is quarantined that was done elsewhere", replay.line, done.line
                ).at(replay)
            }
            let conflict = writes.first { $0.conflicts(with: before) }
            if isReplay, let conflict {
                return .invalid(
                    "a replay replaces \(before[conflict.path].summary) at \(conflict.path)",
                    replay.line
                ).at(replay)
            }
            if !isReplay, conflict == nil, !replay.operation.isKeptInDoubt {
                return .invalid("what conflicts with nothing is quarantined", replay.line).at(
                    replay)
            }
        }
        return .valid(count, "replays of orphaned operations")
    }

    /// The value at the origin of an operation immediately before it. Nil if it is not recorded, or if operations of
    /// others arrived there in the same turn.
    private static func value(
        before replay: Recording.Issued, at paths: [Path], _ recording: Recording
    ) -> Value? {
        guard let (before, after) = recording.states(around: replay) else { return nil }
        var value = before.value
        let turn = recording.issued.filter {
            after.vector.covers($0.dot) && !before.vector.covers($0.dot)
        }
        for issued in turn {
            if issued.dot.origin != replay.dot.origin {
                if paths.contains(where: issued.operation.touches) { return nil }
            } else if issued.dot.sequence < replay.dot.sequence {
                for write in issued.operation.writes where write.path.last != .priority {
                    value.set(write.isIncrement ? .integer(0) : write.value, at: write.path)
                }
            }
        }
        return value
    }
}

extension Recording.Issued {
    /// The operation by which another node had done the transaction that this one quarantines, if its node held that; nil if there
    /// is none.
    fileprivate func transactionDone(in recording: Recording) -> Recording.Issued? {
        let kept = operation.kept
        let orphans = recording.issued.filter {
            $0.node == node && $0.operation.term != nil && $0.dot.origin != dot.origin
                && $0.operation.writes == kept
        }
        guard let held = recording.states(around: self)?.before.vector else { return nil }
        var done: Recording.Issued?
        // Several may have written the same: all of them have to be done.
        for orphan in orphans {
            done = recording.issued.first {
                $0.operation.alias == orphan.operation.alias && $0.dot != orphan.dot
                    && held.covers($0.dot)
            }
            if done == nil { return nil }
        }
        return done
    }
}

extension Recording {
    /// The states of a node immediately before and after the turn in which it made an operation; nil if they are not
    /// recorded.
    fileprivate func states(around issued: Issued) -> (before: State, after: State)? {
        let states = states[issued.node].filter { $0.incarnation == issued.incarnation }
        guard let next = states.firstIndex(where: { $0.vector.covers(issued.dot) }), next > 0
        else { return nil }
        return (states[next - 1], states[next])
    }
}

extension Operation {
    /// Whether it replays another operation of the run; transactions have a term.
    fileprivate func isReplay(of stamps: Set<Stamp>) -> Bool {
        guard let alias, term == nil, !writes.contains(where: { $0.path.isRoot }) else {
            return false
        }
        return alias != stamp && stamps.contains(alias)
    }
}

extension Write {
    fileprivate var isIncrement: Bool {
        if case .deferred(.increment) = value { true } else { false }
    }

    /// Whether it is anything else than an increment, or a new child of a list, of a tree.
    fileprivate func conflicts(with tree: Value) -> Bool {
        guard !isIncrement else { return false }
        guard let key = path.last, PushID(key) != nil, !value.isNull else { return true }
        return !tree[path].isNull
    }
}
