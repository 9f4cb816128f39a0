package import SyncProtocol

/// The problems of a cluster that its nodes' states show, and their fixes.
package struct Diagnosis: Equatable {
    package enum Severity: String, Comparable {
        case warning
        case error

        package static func < (a: Severity, b: Severity) -> Bool { a == .warning && b == .error }
    }

    package struct Finding: Equatable {
        package let severity: Severity
        package let node: String
        package let problem: String
        package let fix: String
    }

    /// The worst first; empty if all is well.
    package let findings: [Finding]

    /// - Parameters:
    ///   - statuses: The states of all nodes.
    ///   - later: The same a second later, to see what moves.
    package init(
        of cluster: ObservedCluster, _ statuses: [ObservedNode], later: [ObservedNode]
    ) {
        var findings: [Finding] = []
        for (status, later) in zip(statuses, later) {
            var examination = Examination(of: status, in: cluster)
            switch status.state {
            case .serving, .impaired: examination.examineAnswering(later, among: statuses)
            case .paused, .starting, .stopped: examination.noteRest()
            case .unauthorized, .down, .silent, .unreachable, .unreadable: examination.noteAnswer()
            }
            findings += examination.findings
        }
        findings += RefusedNode.all(in: later).compactMap(\.finding)
        findings += EmptyDatabase.all(in: later).map(\.finding)
        findings += RefusedKey.all(in: later).map { $0.finding(in: cluster) }
        findings += DifferingTrees.all(in: later).flatMap(\.findings)
        findings += MutualRefusal.all(in: statuses, later: later).map(\.finding)
        self.findings = findings.enumerated().sorted { a, b in
            a.element.severity == b.element.severity
                ? a.offset < b.offset : a.element.severity > b.element.severity
        }.map(\.element)
    }
}

/// The findings of one node.
private struct Examination {
    private let status: ObservedNode
    private let cluster: ObservedCluster
    private(set) var findings: [Diagnosis.Finding] = []

    init(of status: ObservedNode, in cluster: ObservedCluster) {
        self.status = status
        self.cluster = cluster
    }

    private mutating func add(
        _ severity: Diagnosis.Severity, _ problem: String, fix: String
    ) {
        findings.append(
            .init(severity: severity, node: status.node.id, problem: problem, fix: fix))
    }

    // MARK: Nodes that do not serve

    mutating func noteRest() {
        let id = status.node.id
        switch status.state {
        case .paused:
            add(.error, "is paused by a signal", fix: "`hearth cluster resume \(id)`")
        case .starting:
            add(
                .warning, "is starting and does not accept clients yet",
                fix: "wait; its log names the nodes that it waits for")
        default:
            add(
                .error,
                status.isEvicted
                    ? "does not run, and is evicted: the others no longer wait for it"
                    : "does not run",
                fix: "`hearth cluster start \(id)`, and see its log")
        }
    }

    /// Reports an answer that is no status, or the lack of an answer.
    mutating func noteAnswer() {
        let endpoint = status.node.address.location
        switch status.answer {
        case .denied(let denial): add(.error, ObservedNode.denialText, fix: denial.fix)
        case .unreadable(let error):
            add(.error, "sends a status that cannot be read: \(error.problem)", fix: error.fix)
        case .refused:
            add(
                .error, "is down: no process listens at \(endpoint)",
                fix: "start the node there, or correct its address")
        case .silent(isConnected: false):
            add(
                .error, "is silent: \(endpoint) does not answer",
                fix:
                    "check that its machine runs, and that networks and firewalls let packets through"
            )
        case .silent(isConnected: true):
            add(
                .error, "is silent: \(endpoint) accepts connections and does not answer",
                fix: "read its log: its process hangs, is suspended, or has no room for connections"
            )
        case .failed(let problem, let fix):
            add(.error, "cannot be reached at \(endpoint): \(problem)", fix: fix)
        case .status, .unavailable, nil: break
        }
    }

    // MARK: Nodes that answer

    mutating func examineAnswering(_ later: ObservedNode, among statuses: [ObservedNode]) {
        guard let report = status.report else { return }
        examineIdentity(report.identity)
        examinePeers(among: statuses)
        examineClock(among: statuses)
        if let later = later.report {
            examineLag(report.data, later.data)
            examineCounters(report, later)
        }
        examineDatabaseProblems(later)
        examineDisk(report.process)
        examineDatabases(report.process)
        examineOpenFiles(report.process)
        examineIndexes(report.clients.queries)
        examineWrites()
        examineLog(report.data, among: statuses)
        examineCoordinator(later)
    }

    /// Only where the node reaches a majority: otherwise the findings on its peers give the reason.
    private mutating func examineCoordinator(_ later: ObservedNode) {
        guard later.report != nil,
            [status, later].allSatisfy({ $0.report?.coordination.coordinator == nil }),
            2 * (later.connectedPeers.count + 1) > cluster.nodes.count
        else { return }
        add(
            .warning, "knows no coordinator: transactions wait",
            fix:
                "wait some seconds; a node that lost its data votes once it has contact with all others, so "
                + "start the nodes that do not run, or remove them from the list of nodes")
    }

    private mutating func examineIndexes(_ queries: NodeStatus.Queries) {
        if let shortage = queries.shortage {
            add(.warning, shortage.problem, fix: shortage.fix)
        } else if queries.unindexedListens > 0 {
            add(
                .warning,
                "has no room for the indexes of \(queries.unindexedListens) listens: each change builds them again",
                fix: "raise \"indexMegabytes\" in the configuration, or end listens by other orders"
            )
        }
    }

    private mutating func examineIdentity(_ identity: NodeStatus.Identity) {
        if identity.member != status.node.id {
            add(
                .error, "has the address of node \(identity.member)",
                fix: "correct the addresses in the configuration, and restart both")
        }
        if identity.cluster != cluster.name {
            add(
                .error, "belongs to the cluster \(identity.cluster), not to \(cluster.name)",
                fix: "start it with the configuration of this cluster, in a new data directory")
        }
    }

    private mutating func examinePeers(among statuses: [ObservedNode]) {
        for peer in statuses
        where peer.report != nil && peer.node.id != status.node.id && !status.hears(peer)
            // A peer that cannot write sends no heartbeats.
            && peer.storageProblem == nil
        {
            add(
                .error, "has no contact with \(peer.node.id)",
                fix: "check that its machine reaches "
                    + peer.node.endpoints(from: status.node.id).joined(separator: " and ")
                    + (status.node.publicKey == nil
                        ? "" : ", and that both have the same \"publicKey\" of \(peer.node.id)"))
        }
    }

    private mutating func examineClock(among statuses: [ObservedNode]) {
        guard let own = status.clockWhenAsked else { return }
        let others = statuses.filter {
            $0.node.id != status.node.id && $0.clockWhenAsked != nil
        }
        let gaps = others.compactMap { $0.clockWhenAsked.map(own.distance) }
            .filter { abs($0) > 1000 }.sorted()
        guard 2 * gaps.count > others.count else { return }
        let gap = gaps[gaps.count / 2]
        let whom =
            others.count == 1
            ? "\(others[0].node.id)'s, and it is not known which of the two is right" : "most"
        add(
            .warning, "its clock is \(abs(gap)) ms \(gap < 0 ? "behind" : "ahead of") \(whom)",
            fix:
                "synchronise the clocks (chrony, or systemd-timesyncd): the last writer wins by time"
        )
    }

    private mutating func examineLag(_ before: NodeStatus.Data, _ after: NodeStatus.Data) {
        // A node that cannot write accepts no operations from its peers.
        guard before.lag > 0, after.lag >= before.lag, status.storageProblem == nil else { return }
        add(
            .warning, "lags behind by \(after.lag) operations, and does not catch up",
            fix:
                "check that its machine reaches its peers, and has spare processor time and disk space"
        )
    }

    private mutating func examineCounters(_ before: NodeStatus, _ after: NodeStatus) {
        let grows = { (counter: KeyPath<NodeStatus, Int?>) in
            (after[keyPath: counter] ?? 0) > (before[keyPath: counter] ?? 0)
        }
        // A process with a key has a finding of its own.
        if after.process?.refusedKeys.isEmpty ?? true, grows(\.process?.refusedConnections),
            let count = after.process?.refusedConnections
        {
            add(
                .warning, "refuses connections: \(count) so far",
                fix:
                    "a process connects to the ports for nodes without a listed key: list the key, or stop it"
            )
        }
        if grows(\.process?.cutPeerConnections), let count = after.process?.cutPeerConnections {
            add(
                .warning,
                "cuts connections to its ports for nodes: \(count) so far, as too many have shown no key",
                fix:
                    "find the machine that connects to them (`ss -tn`), and have a firewall admit only the nodes"
            )
        }
        if after.exchange.unknownPeers > before.exchange.unknownPeers {
            add(
                .warning,
                "receives frames of a node of another cluster, or of one that is not configured",
                fix: "give each cluster its own ports")
        }
        if after.exchange.malformedFrames > before.exchange.malformedFrames {
            add(
                .warning, "receives frames from peers that it cannot read",
                fix: "run the same version of Hearth on all nodes")
        }
        if grows(\.process?.slowClients) {
            add(
                .warning, "has clients that read too slowly",
                fix:
                    "narrow their listens (limits, ranges), or have them read on a thread of its own"
            )
        }
    }

    private mutating func examineWrites() {
        if let problem = status.storageProblem {
            add(
                .error, "accepts no writes: \(problem)",
                fix: status.report?.identity.storageFix ?? "read the node's log")
        }
        if status.isEvicted {
            add(
                .warning, "is evicted and has not rejoined yet: it accepts no writes",
                fix:
                    "wait until it has installed a peer's checkpoint; it needs contact with its peers"
            )
        }
        if let awaited = status.report?.membership.awaited {
            add(
                .error,
                "accepts no writes: its disk is not its latest one, and it waits for \(awaited)",
                fix:
                    "start \(awaited); a node that never returns can be evicted, and "
                    + "`hearth accept-loss \(status.node.id)` gives up what only they have")
        }
        if status.eviction == .pending {
            add(
                .warning, "has votes for its eviction, and no majority yet",
                fix: "start the nodes that do not run: the votes stand until a majority has voted")
        }
    }

    /// Warns when the log has half of its limit: then a node has been away for long.
    private mutating func examineLog(
        _ data: NodeStatus.Data, among statuses: [ObservedNode]
    ) {
        let (logged, limit) = (data.loggedOperations, data.loggedOperationsLimit)
        guard limit > 0, logged > limit / 2 else { return }
        let away = statuses.filter { $0.report == nil && $0.state != .unauthorized }.map(\.node.id)
        let names = away.isEmpty ? "a node" : away.joined(separator: ", ")
        let example = away.first ?? "n3"
        add(
            .warning,
            "its log has \(logged) operations, of at most \(limit): it waits for \(names)",
            fix:
                "start \(example), or evict it with `hearth cluster evict \(example)`; beyond the limit, a "
                + "node that was away gets a checkpoint")
    }

    /// Reports problems of named databases that last.
    private mutating func examineDatabaseProblems(_ later: ObservedNode) {
        let names = Set(status.databaseProblems.map(\.name))
        for (name, problem) in later.databaseProblems where names.contains(name) {
            add(
                .warning, "the database \(name) \(problem)",
                fix: "wait; if it lasts, see the log of the node, and whether the nodes of the "
                    + "database run (`hearth database list`)")
        }
    }

    private mutating func examineDisk(_ process: NodeStatus.Process?) {
        guard let free = process?.diskFreeBytes, free < 1 << 30 else { return }
        add(
            .warning, "has \(free >> 20) MB left on its disk",
            fix: "free space: a node with a full disk accepts no writes")
    }

    private mutating func examineDatabases(_ process: NodeStatus.Process?) {
        for (name, placements) in (process?.contestedDatabases ?? [:]).sorted(by: {
            $0.key < $1.key
        }) {
            add(
                .error,
                "does not serve the database \(name), which was placed twice in one epoch: on \(placements)",
                fix:
                    "compare the data, and name the nodes whose data hold: `hearth database move \(name) --nodes …`"
            )
        }
        guard let kept = process?.keptDatabases, !kept.isEmpty else { return }
        add(
            .warning,
            "keeps files of databases aside, which may have operations that no other node has: "
                + kept.keys.sorted().joined(separator: ", "),
            fix: "look at them with `hearth database kept export`, and delete them with "
                + "`hearth database kept delete`")
    }

    /// Warns before the node takes no connections, not even for its status.
    private mutating func examineOpenFiles(_ process: NodeStatus.Process?) {
        guard let process, 10 * process.openFiles > 9 * process.openFilesLimit else { return }
        let (count, limit) = (process.openFiles, process.openFilesLimit)
        add(
            .warning, "has \(count) files and connections open, of at most \(limit)",
            fix: "raise the limit (LimitNOFILE in its systemd unit, or `ulimit -n`): with all in "
                + "use it accepts no connections")
    }
}

extension ClosedRange<Int> {
    /// How far this is at least beyond another range; negative before it, 0 where both may be the same.
    fileprivate func distance(from other: ClosedRange<Int>) -> Int {
        Swift.max(lowerBound - other.upperBound, 0) + Swift.min(upperBound - other.lowerBound, 0)
    }
}

extension NodeStatus.Queries {
    /// Why declared indexes do not fit, and what to do; nil if they do.
    package var shortage: (problem: String, fix: String)? {
        guard declaredIndexBytes > indexByteLimit else { return nil }
        let (needed, limit) = (declaredIndexBytes.megabytes, indexByteLimit.megabytes)
        return (
            "has no room for all declared indexes: they need \(needed) MB, of at most \(limit)",
            "raise \"indexMegabytes\" in the configuration to \(needed), or declare fewer indexes"
        )
    }
}

extension Int {
    fileprivate var megabytes: Int { (self + 1 << 20 - 1) >> 20 }
}
