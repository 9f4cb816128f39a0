import SyncProtocol

/// A write acknowledged at the concern `majority` or `all` was on that many disks by then.
enum WriteConcernsHold {
    static func judge(_ evidence: Evidence) -> Finding {
        // A write concern does not count evicted nodes and non-members.
        let absent = evidence.scenario.absentNodes
        let members = evidence.scenario.cluster.replicas - absent.count
        var count = 0
        for operation in evidence.history.operations {
            guard let acknowledgedAt = operation.acknowledgedAt, acknowledgedAt != .local,
                let completed = operation.completed,
                let dot = operation.acknowledged?.dot
            else { continue }
            count += 1
            let holders = evidence.recording.durable.count { holdings in
                let first = holdings.first { $0.vector.covers(dot) }
                return first.map { $0.time <= completed } ?? false
            }
            guard holders < (acknowledgedAt == .all ? members : members / 2 + 1) else { continue }
            return .invalid(
                "a write was acknowledged as durable on \(acknowledgedAt.rawValue) of \(members) nodes, and "
                    + "\(holders) had it on their disks", operation.line)
        }
        return .valid(count, "writes that wanted to be durable on more nodes than one")
    }
}

extension Scenario {
    /// The nodes for which an eviction was requested at any time, and those that are not members.
    fileprivate var absentNodes: Set<Int> {
        let all = Set(0..<cluster.replicas)
        var absent = all.subtracting(all.sorted().dropLast(cluster.newcomers))
        for scripted in script {
            guard case .fault(let fault) = scripted.action else { continue }
            if let eviction = fault as? Evict { absent.insert(eviction.node) }
            if let list = fault as? MemberList { absent.formUnion(all.subtracting(list.members)) }
        }
        return absent
    }
}
