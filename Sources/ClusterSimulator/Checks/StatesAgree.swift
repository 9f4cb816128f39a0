import DataTree
import SyncProtocol

extension Check {
    package static let equalVectorsEqualTrees: Check = Check(
        "equal-vectors-equal-trees", judges: .nodes, guarantees: "C1",
        claim: "nodes that hold the same show the same, at any time",
        criterion: "replicas with the same operations showed the same tree, at any times",
        evaluate: EqualVectors.evaluate)

    package static let noResurrection: Check = Check(
        "no-resurrection", judges: .nodes, guarantees: "D3",
        claim: "removed data stay removed",
        criterion: "removed data show again only where a newer write put them",
        evaluate: NoResurrection.evaluate)

    package static let stableIsFinal: Check = Check(
        "stable-is-final", judges: .nodes, guarantees: "X3",
        claim: "no operation arrives at or below the stable time",
        criterion: """
            no operation arrives with a stamp at or below the stable time of its node, and an \
            evicted node accepts writes again only once most members wait for it
            """,
        evaluate: StableIsFinal.evaluate)
}

/// Replicas that held the same operations showed the same tree, whenever that was.
enum EqualVectors {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.isSmall else {
            return .unknown("trees are kept in runs of up to 300 operations")
        }
        var states = evidence.recording.states.flatMap(\.self)
        states.sort { a, b in
            a.vector != b.vector
                ? a.vector.precedes(b.vector) : (a.time, a.node) < (b.time, b.node)
        }
        var count = 0
        for (first, second) in zip(states, states.dropFirst()) where first.vector == second.vector {
            count += 1
            guard first.value != second.value else { continue }
            return .invalid(
                "two replicas held the same operations and showed different trees, at "
                    + "\(TreeDifference(first.value, second.value))", first.line, second.line
            ).at(second)
        }
        return .valid(count, "pairs of states with equal vectors")
    }
}

extension VersionVector {
    /// Some total order.
    fileprivate func precedes(_ other: VersionVector) -> Bool {
        entries.lexicographicallyPrecedes(other.entries) { a, b in
            a.origin != b.origin ? a.origin < b.origin : a.sequence < b.sequence
        }
    }
}

/// Removed data show again only where a newer write put them.
enum NoResurrection {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.isSmall else {
            return .unknown("trees are kept in runs of up to 300 operations")
        }
        let issued = evidence.recording.issued
        var count = 0
        for removal in issued {
            for write in removal.operation.writes
            where write.value.isNull && write.path.last != .priority {
                count += 1
                let newer = issued.filter {
                    $0.operation.stamp > removal.operation.stamp
                        && $0.operation.touches(write.path)
                }.map(\.dot)
                for state in evidence.recording.states.joined()
                where state.vector.covers(removal.dot) && !state.value[write.path].isNull {
                    if newer.contains(where: { state.vector.covers($0) }) { continue }
                    return .invalid(
                        "\(write.path) was removed, shows \(state.value[write.path].summary), and nothing "
                            + "newer wrote there", removal.line, state.line
                    ).at(state)
                }
            }
        }
        return .valid(count, "removals")
    }
}

extension Operation {
    /// Whether it writes at, above or below a place.
    func touches(_ path: Path) -> Bool {
        writes.contains { $0.path.contains(path) || path.contains($0.path) }
    }
}

/// No operation arrives with a stamp at or below the stable time; so an evicted node makes none before most members wait for it
/// again.
///
/// Operations of a node whose disk lost reported data are left out: the bound of its stamps may be among them, and it
/// cannot know. One that has lost everything knows, and asks the others.
enum StableIsFinal {
    static func evaluate(_ evidence: Evidence) -> Finding {
        if let early = evidence.history.earlyReturns.first { return .invalid(early) }
        let issued = evidence.recording.issued.sorted { $0.dot.sequence < $1.dot.sequence }
        var byOrigin: [WriterID: [Recording.Issued]] = [:]
        for operation in issued { byOrigin[operation.dot.origin, default: []].append(operation) }
        var count = 0
        for process in evidence.recording.processes {
            for (before, after) in zip(process.states, process.states.dropFirst())
            where after.stableTime > .zero {
                for (origin, sequence) in after.vector.entries {
                    let held = before.vector[origin]
                    guard sequence > held else { continue }
                    for late in byOrigin[origin] ?? []
                    where held < late.dot.sequence && late.dot.sequence <= sequence {
                        if evidence.hasLostPart(late.node, by: late.time) { continue }
                        count += 1
                        guard late.operation.stamp.time <= after.stableTime else { continue }
                        return .invalid(
                            "an operation arrived that is not newer than the stable time, "
                                + "\(after.stableTime.milliseconds)", late.line, after.line
                        ).at(after)
                    }
                }
            }
        }
        return .valid(count, "operations that arrived once there was a stable time")
    }
}

extension Evidence {
    /// Whether a node had lost the newest part of what its disk had held.
    fileprivate func hasLostPart(_ node: Int, by time: Microseconds) -> Bool {
        losses.contains { $0.node == node && $0.until <= time && $0.since > 0 }
    }
}
