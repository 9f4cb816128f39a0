import SyncProtocol

extension Check {
    package static let writeConcernsHold: Check = Check(
        "write-concerns-hold", judges: .clients, guarantees: "D1, X2",
        failure: .durability,
        claim: "a write is on as many disks as its answer says",
        criterion: """
            a write acknowledged as durable on most nodes, or on all, was on that many disks by \
            then, and so was an acknowledged transaction on most of them; no program receives a \
            lower concern than its node has reported
            """,
        evaluate: WriteConcernsHold.evaluate)
}

/// A write acknowledged at the concern `majority` or `all` was on that many disks by then.
enum WriteConcernsHold {
    static func evaluate(_ evidence: Evidence) -> Finding {
        // The concern `all` leaves out evicted nodes, but a majority is one of all configured nodes.
        let configured = evidence.scenario.configuredNodes
        let awaited = configured - evidence.scenario.evictedNodes.count
        var count = 0
        for operation in evidence.history.operations {
            guard let acknowledgedAt = operation.acknowledgedAt, acknowledgedAt != .local,
                let completed = operation.completed,
                let dot = operation.acknowledged?.dot
            else { continue }
            count += 1
            if let missed = operation.missedConcern, missed <= acknowledgedAt {
                return .invalid(
                    "a program was told that its write is durable on fewer nodes than \(missed.rawValue), after its node "
                        + "had acknowledged it at \(acknowledgedAt.rawValue)", operation.line
                ).about(operation)
            }
            let holders = evidence.recording.durable.count { holdings in
                let first = holdings.first { $0.vector.covers(dot) }
                return first.map { $0.time <= completed } ?? false
            }
            guard holders < (acknowledgedAt == .all ? awaited : configured / 2 + 1)
            else { continue }
            return .invalid(
                "a write was acknowledged as durable on \(acknowledgedAt.rawValue) of \(configured) nodes, and "
                    + "\(holders) had it on their disks", operation.line
            ).about(operation)
        }
        for decision in evidence.history.decisions {
            count += 1
            let dots = evidence.recording.dots(named: decision.name)
            let holders = evidence.recording.durable.count { holdings in
                dots.contains { dot in
                    let first = holdings.first { $0.vector.covers(dot) }
                    return first.map { $0.time <= decision.time } ?? false
                }
            }
            guard !dots.isEmpty, holders < configured / 2 + 1 else { continue }
            return .invalid(
                "the transaction \(decision.name) was said to be done at \(decision.time.description), when \(holders) "
                    + "of \(configured) nodes had it on their disks")
        }
        return .valid(count, "writes that wanted to be durable on more nodes than one")
    }
}

extension Scenario {
    /// The smallest number of configured nodes in the run.
    var configuredNodes: Int {
        var least = cluster.replicas - cluster.newcomers
        for scripted in script {
            guard case .fault(let fault) = scripted.action, let list = fault as? MemberList
            else { continue }
            least = min(least, list.members.count)
        }
        return least
    }

    /// The nodes that the scenario evicts at some time.
    fileprivate var evictedNodes: Set<Int> {
        var evicted: Set<Int> = []
        for scripted in script {
            guard case .fault(let fault) = scripted.action, let eviction = fault as? Evict
            else { continue }
            evicted.insert(eviction.node)
        }
        return evicted
    }
}
