import DataTree
import ReplicaCore
import SyncProtocol

// The continuation of a run at rest: nodes answer requests soon, even after all have restarted, or after one was lost and evicted.

extension SimulatedRun {
    /// The longest time of an answer that depends on no other node.
    private static let answerLimit: Microseconds = .seconds(3)
    /// How often a client waits for stability behind a write at another node: frames overtake each other differently each time.
    private static let stabilityRounds = 3
    private static let place = Path([Key(unchecked: "at-rest")])

    /// Continues the run, and returns the observations of the watch.
    mutating func aftermath(_ watch: Aftermath) -> Aftermath {
        watches = [watch]
        face()
        return aftermath
    }

    /// The only watch of a run that continues at rest.
    private var aftermath: Aftermath {
        get { watches[0] as! Aftermath }
        set { watches[0] = newValue }
    }

    private mutating func face() {
        quiescence.isOver = false
        network.perfect(at: now)
        awaitContact()
        aftermath.course = drawCourse()
        guard follow(aftermath.course) else { return }
        for node in members { askAll(of: node) }
        guard areAnswered() else { return }
        for round in 1...SimulatedRun.stabilityRounds { judgeStability(in: round) }
        judgeConvergence()
        if let failure = quiescence.failure { aftermath.fail(failure) }
    }

    private var members: [Int] { nodes.indices.filter { nodes[$0].belongs } }

    /// Waits until nodes have noticed connections that their peers have forgotten.
    private mutating func awaitContact() {
        let members = members
        proceed(until: now + SimulatedRun.heartbeatTimeout + .seconds(1)) { run in
            members.allSatisfy {
                let exchange = run.nodes[$0].replica?.status.exchange
                return exchange?.silentPeers.isEmpty == true
                    && exchange?.connectedPeers.count == members.count - 1
            }
        }
    }

    // MARK: What happens first

    private mutating func drawCourse() -> Aftermath.Course {
        let members = members
        switch aftermath.random.index(below: 3) {
        case 0 where members.allSatisfy { nodes[$0].disk.keepsAll }: return .allRestart
        // More than half of all nodes remain.
        case 1 where members.count > 2 && !scenario.changesMembers:
            return .oneIsEvicted(members[aftermath.random.index(below: members.count)])
        default: return .nothing
        }
    }

    /// Returns whether the nodes serve then.
    private mutating func follow(_ course: Aftermath.Course) -> Bool {
        switch course {
        case .nothing: return true
        case .allRestart:
            let members = members
            for node in members { crash(node) }
            for node in members { start(node) }
        case .oneIsEvicted(let node):
            abandon(node)
            let members = members
            let other = members[aftermath.random.index(below: members.count)]
            let id = aftermath.ask(.eviction, of: other)
            ask(.evict(id: id, member: nodes[node].name), of: other)
        }
        let members = members
        let limit = now + SimulatedRun.answerLimit + scenario.cluster.lease
        proceed(until: limit) { run in
            run.aftermath.open.isEmpty && members.allSatisfy { run.isReady($0) }
        }
        if let node = members.first(where: { !isReady($0) }) {
            aftermath.fail(
                nodes[node].isServing
                    ? "\(nodes[node].name) knows nothing of it by \(now.description), but \(nodes[node].evictionText)"
                    : "\(nodes[node].name) does not serve by \(now.description)")
            return false
        }
        return areAnswered()
    }

    /// Whether a node serves, and knows which one is evicted.
    private func isReady(_ node: Int) -> Bool {
        guard nodes[node].isServing else { return false }
        guard case .oneIsEvicted(let gone) = aftermath.course else { return true }
        let evictions = nodes[node].replica?.evictions ?? []
        return evictions.contains { $0.member == nodes[gone].name && $0.stage == .out }
    }

    // MARK: Requests

    private mutating func askAll(of node: Int) {
        let place = SimulatedRun.place.appending(Key(unchecked: nodes[node].name))
        let write = aftermath.ask(.write, of: node)
        ask(
            .put(
                id: write, path: place.appending(Key(unchecked: "written")), value: .integer(1),
                concern: .all), of: node)
        if mayTransact {
            let transaction = aftermath.ask(.transaction, of: node)
            ask(
                .put(
                    id: transaction, path: place.appending(Key(unchecked: "decided")),
                    value: .integer(1), condition: Condition(DataHash(of: .null))), of: node)
        }
        askForStability(of: node)
    }

    /// Whether clocks go on, and a lease lasts longer than the frames that renew it are on their way.
    private var mayTransact: Bool {
        !scenario.setsClocks && 4 * scenario.network.link.delay.longest < scenario.cluster.lease
    }

    private mutating func askForStability(of node: Int) {
        if scenario.setsClocks { return }
        let id = aftermath.ask(.stability, of: node)
        ask(.awaitStable(id: id, milliseconds: 60_000), of: node)
    }

    /// Waits until all requests are answered; returns whether they were, as they should be.
    private mutating func areAnswered() -> Bool {
        let limit = now + requestLimit
        proceed(until: limit) { $0.aftermath.open.isEmpty }
        if let (_, asked) = aftermath.open.min(by: { $0.key < $1.key }) {
            aftermath.fail(
                "\(nodes[asked.node].name) has not answered \(asked.request.rawValue) by \(now.description)"
            )
        }
        return aftermath.failure == nil
    }

    /// A coordinator may have to be elected, and clocks to pass that of the fastest node. A lease that is hardly longer than the time
    /// between two heartbeats, as no real cluster has it, ends again and again before the votes for its renewal have arrived.
    private var requestLimit: Microseconds {
        SimulatedRun.answerLimit + max(30 * scenario.cluster.lease, .seconds(30))
            + scenario.cluster.retryWindow + 2 * scenario.clocks.skew + 2 * scenario.clients.skew
    }

    // MARK: What they have done

    /// A client that waits at one node for stability finds what was written at another node before, if the clock of its own node
    /// had passed that stamp.
    private mutating func judgeStability(in round: Int) {
        let members = members
        guard !scenario.setsClocks, members.count > 1, aftermath.failure == nil else { return }
        let first = aftermath.random.index(below: members.count)
        let (writer, reader) = (members[first], members[(first + 1) % members.count])
        let path = SimulatedRun.place.appending(Key(unchecked: "stable\(round)"))
        ask(
            .put(id: aftermath.ask(.localWrite, of: writer), path: path, value: .integer(1)),
            of: writer)
        guard areAnswered(), let written = record.recording.issued.last,
            written.operation.writes.first?.path == path
        else { return }
        let stamp = written.operation.stamp.time
        // The heartbeats for this one may tell the reader of a later time before the first one has arrived.
        let other = members[(first + 2) % members.count]
        ask(
            .put(
                id: aftermath.ask(.write, of: other),
                path: SimulatedRun.place.appending(Key(unchecked: "other\(round)")),
                value: .integer(1), concern: .all), of: other)
        proceed(until: now + SimulatedRun.answerLimit) { $0.clock(of: reader) >= stamp }
        guard clock(of: reader) >= stamp else { return }
        askForStability(of: reader)
        guard areAnswered(), nodes[reader].shown()[path].isNull else { return }
        aftermath.fail(
            "\(nodes[reader].name) says at \(now.description) that all earlier writes have arrived, and lacks "
                + "what \(nodes[writer].name) had acknowledged before")
    }

    /// The time that a node knows to have passed: by its wall clock, or by what it has received.
    private func clock(of node: Int) -> HybridTime {
        let wall = nodes[node].clock.moment(at: now).wallMilliseconds
        return max(HybridTime(milliseconds: wall), nodes[node].standing?.time ?? .zero)
    }

    /// In the end they hold and show the same.
    private mutating func judgeConvergence() {
        let members = members
        proceed(until: now + SimulatedRun.answerLimit) { run in
            members.allSatisfy {
                run.nodes[$0].standing?.vector == run.nodes[members[0]].standing?.vector
            }
        }
        let trees = members.map { nodes[$0].shown() }
        guard let other = trees.indices.first(where: { trees[$0] != trees[0] }) else { return }
        aftermath.fail(
            "\(nodes[members[0]].name) and \(nodes[members[other]].name) differ: "
                + "\(TreeDifference(trees[0], trees[other]))")
    }

    // MARK: Time

    /// Goes on until something holds, or that time has come.
    private mutating func proceed(
        until limit: Microseconds, _ holds: (inout SimulatedRun) -> Bool
    ) {
        while now < limit, aftermath.failure == nil, !holds(&self), step() != nil {}
    }
}

extension VirtualNode {
    /// The evictions that it knows.
    fileprivate var evictionText: String {
        let evictions = (replica?.evictions ?? []).map { "\($0.member) \($0.stage)" }
        return evictions.isEmpty ? "of none" : evictions.joined(separator: ", ")
    }
}
