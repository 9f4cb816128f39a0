internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Randomness
internal import ReplicaCore

/// Injects faults into the nodes of a soak, drawn from a seed, one or two nodes at a time.
struct SoakFaults {
    enum Kind: String, CaseIterable {
        case kill, pause, wipe
        /// The end of a process that gets the data again that its disk has lost.
        case interrupt
    }

    private struct Away {
        let node: Cluster.Node
        let kind: Kind
        let until: ContinuousClock.Instant
    }

    /// A node that gets its data again, and is killed and started before it may have all.
    private struct Recovery {
        let node: Cluster.Node
        var next: ContinuousClock.Instant
        var kills: Int
    }

    private let cluster: Cluster
    private var random: SplitMix64
    private var away: [Away] = []
    private var recoveries: [Recovery] = []
    /// Restarted and not serving yet: others could not get lost operations from these nodes.
    private var returning: [Cluster.Node] = []
    private var nextLook: ContinuousClock.Instant
    private var next: ContinuousClock.Instant
    /// How often each fault was injected.
    private(set) var counts: [Kind: Int] = [:]
    private(set) var repairs = SoakRepairs()
    /// When which nodes lost their disks, and when they were killed, in microseconds.
    private(set) var wipes: [(node: String, time: UInt64)] = []
    private(set) var kills: [(node: String, time: UInt64)] = []

    init(_ cluster: Cluster, seed: UInt64) {
        self.cluster = cluster
        random = SplitMix64(seed: seed)
        next = .now + .seconds(1)
        nextLook = next
    }

    /// Ends faults that are due, and begins the next ones; called several times a second.
    mutating func advance() throws(CommandError) {
        let now = ContinuousClock.now
        for fault in away where fault.until <= now { try end(fault) }
        away.removeAll { $0.until <= now }
        try interruptRecoveries(at: now)
        try lookForReturned(at: now)
        guard now >= next else { return }
        next = now + .milliseconds(draw(500...2000))
        // At most two at once, so that the others are a majority of five.
        let limit = min(2, cluster.file.nodes.count - 1)
        for _ in 0..<draw(1...2) where away.count + returning.count < limit { try begin() }
    }

    private mutating func lookForReturned(at now: ContinuousClock.Instant) throws(CommandError) {
        guard !returning.isEmpty, now >= nextLook else { return }
        nextLook = now + .milliseconds(300)
        let statuses = try ObservedCluster(cluster).statuses(within: .milliseconds(100))
        let serving = Set(statuses.filter { $0.state == .serving }.map(\.node.id))
        returning.removeAll { serving.contains($0.id) }
    }

    /// Kills nodes between the loss of their disks and their first service, at moments that are drawn.
    private mutating func interruptRecoveries(at now: ContinuousClock.Instant) throws(CommandError)
    {
        for index in recoveries.indices where recoveries[index].next <= now {
            let node = recoveries[index].node
            // Others could not get its operations, and it may be the next to be drawn.
            guard returning.contains(where: { $0.id == node.id }) else {
                recoveries[index].kills = 0
                continue
            }
            kill(node)
            counts[.interrupt, default: 0] += 1
            try cluster.start(node)
            recoveries[index].kills -= 1
            recoveries[index].next = now + .milliseconds(draw(20...900))
        }
        recoveries.removeAll { $0.kills == 0 }
    }

    /// Ends all faults.
    mutating func endAll() throws(CommandError) {
        for fault in away { try end(fault) }
        (away, recoveries) = ([], [])
    }

    /// Counts the repairs of the last incarnations, once no more are expected.
    mutating func countLastRepairs() throws(CommandError) {
        try repairs.add(incarnationsOf: cluster.file.nodes, of: cluster)
    }

    private mutating func begin() throws(CommandError) {
        let absent = Set((away.map(\.node) + returning).map(\.id))
        let here = cluster.file.nodes.filter { !absent.contains($0.id) }
        let node = here[draw(0...here.count - 1)]
        // The loss of a disk is the fault with the longest repair, and with the most moments for another one.
        let kind: Kind = [.kill, .kill, .pause, .pause, .wipe, .wipe][draw(0...5)]
        if kind == .wipe, away.contains(where: { $0.kind == .wipe }) { return }
        counts[kind, default: 0] += 1
        if kind != .pause { try repairs.add(incarnationsOf: [node], of: cluster) }
        switch kind {
        case .pause: cluster.process(of: node)?.send(SIGSTOP)
        case .kill, .interrupt: kill(node)
        case .wipe:
            kill(node)
            wipes.append((node.id, SoakClock.microseconds))
            removeFolder(cluster.folder(of: node))
            try makeFolder(cluster.folder(of: node))
        }
        let until = ContinuousClock.now + .milliseconds(draw(200...4000))
        away.append(Away(node: node, kind: kind, until: until))
    }

    private mutating func kill(_ node: Cluster.Node) {
        _ = cluster.kill(node)
        kills.append((node.id, SoakClock.microseconds))
    }

    private mutating func end(_ fault: Away) throws(CommandError) {
        switch fault.kind {
        case .pause: cluster.process(of: fault.node)?.send(SIGCONT)
        case .kill, .wipe, .interrupt:
            try cluster.start(fault.node)
            returning.append(fault.node)
            guard fault.kind == .wipe else { return }
            let next = ContinuousClock.now + .milliseconds(draw(20...900))
            recoveries.append(Recovery(node: fault.node, next: next, kills: draw(1...3)))
        }
    }

    private mutating func draw(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }
}
