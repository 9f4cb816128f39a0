import DataTree
import SyncProtocol

/// The transactions of a replica: those of its clients on their way to the coordinator and, if this member is the
/// coordinator, those that it decides.
///
/// The path of a transaction: `propose` at the client's node → `decide` at the coordinator → an ordinary operation
/// → `decided` once a majority holds it → the answer, once the client's node holds it too.
struct Coordination: Sendable {
    static let queueMilliseconds: UInt64 = 5_000
    /// Without new messages, the interval of checks for an election, or for the renewal of the lease.
    static let lookMilliseconds: UInt64 = 25
    /// How long a proposal may wait for heartbeats that show whether a former coordinator has decided it.
    private static let formerMilliseconds: UInt64 = 1_000

    /// A proposal that is not decided yet.
    struct Proposed: Sendable {
        var proposal: Proposal
        var member: String
        var seen: VersionVector
        var untilMilliseconds: UInt64
        /// The wait for heartbeats that show whether a former coordinator has decided it: when this member looks again, and
        /// when it answers without them.
        var wait: (lookMilliseconds: UInt64, endMilliseconds: UInt64)?
        /// The comparison of its condition with the tree, once it has begun.
        var check: HashCheck?
    }

    /// A decision that not enough members hold yet.
    struct Decided: Sendable {
        var id: Stamp
        var member: String
        /// The operations that the members must hold.
        var basis: VersionVector
        var concern: WriteConcern
        /// When the coordinator stops waiting for a write concern beyond a majority.
        var untilMilliseconds: UInt64
    }

    /// The name of this node.
    let member: String
    var election: Election
    let limits: ReplicaLimits
    var forwarded: ForwardedTransactions
    var terms = DecidedTerms()
    var refused = RefusedTransactions()
    /// Whether this member holds everything that it has ever reported, so that its vote counts. A member that lost
    /// its disk must first receive heartbeats of all others.
    var isInformed: Bool
    private(set) var proposed: [Proposed] = []
    /// The proposals whose conditions are being compared with large values, in order.
    private var comparing: [Proposed] = []
    private(set) var decided: [Decided] = []
    /// Verdicts to be sent to members at the end of the turn, ascending by name.
    private var verdicts: [String: [TransactionDecision]] = [:]
    private var outputs: [Output] = []
    /// Whether an answer waits until other members hold what this turn has decided.
    var asksForHeartbeats = false
    /// Whether a message since the last check may concern an election.
    private var hasNews = false
    private var nextLookMilliseconds: UInt64 = 0

    init(_ configuration: ReplicaConfiguration, own: WriterID, vote: Lease?, isInformed: Bool) {
        member = configuration.member
        limits = configuration.limits
        forwarded = ForwardedTransactions(within: limits)
        election = Election(own: own, leaseMilliseconds: configuration.leaseMilliseconds)
        self.isInformed = isInformed
        if let vote { election.restore(vote) }
    }

    /// Continues as another writer.
    mutating func change(own writer: WriterID) {
        election.change(own: writer)
        dropAll()
    }

    /// Learns that votes may be forgotten: this member gives none before it has learnt them from others.
    mutating func forgetVotes() {
        isInformed = false
        election.change(own: election.own)
        dropAll()
    }

    // MARK: Turns

    /// Whether there may be something to do: most turns have no heartbeat and no transaction, and skip this.
    func isDue(at milliseconds: UInt64) -> Bool {
        hasNews || milliseconds >= nextLookMilliseconds || !forwarded.isEmpty || !proposed.isEmpty
            || !comparing.isEmpty || !decided.isEmpty || election.isStanding
    }

    /// Begins a turn of elections and transactions.
    mutating func beginLook(at milliseconds: UInt64) {
        hasNews = false
        nextLookMilliseconds = milliseconds + Coordination.lookMilliseconds
    }

    /// Processes a member's vote; returns whether this member has given its own vote to the sender, which waits for
    /// it.
    mutating func receive(_ heartbeat: Heartbeat, at milliseconds: UInt64, mayVote: Bool) -> Bool {
        hasNews = true
        return election.receive(heartbeat, at: milliseconds, mayVote: mayVote)
    }

    /// Learns that a member's incarnation has ended, and that it has stamped nothing later than `time`, if it said
    /// so.
    mutating func release(_ writer: WriterID, after time: HybridTime? = nil) {
        hasNews = true
        election.release(writer, after: time)
    }

    // MARK: Proposals

    /// Adds proposals, each once: a repeated one replaces the one that waits.
    mutating func propose(_ batch: Proposals, at milliseconds: UInt64) {
        for proposal in batch.all {
            if decided.contains(where: { $0.id == proposal.id }) { continue }
            var one = Proposed(
                proposal: proposal, member: batch.member, seen: batch.seen,
                untilMilliseconds: milliseconds + Coordination.queueMilliseconds)
            if let index = proposed.firstIndex(where: { $0.proposal.id == proposal.id }) {
                one.wait = proposed[index].wait
                proposed[index] = one
            } else if let index = comparing.firstIndex(where: { $0.proposal.id == proposal.id }) {
                one.check = comparing[index].check
                comparing[index] = one
            } else if proposed.count + comparing.count < limits.proposedTransactions {
                proposed.append(one)
            }
        }
    }

    /// Has a proposal wait a little longer; returns whether it may.
    mutating func postpone(_ one: Proposed, at milliseconds: UInt64) -> Bool {
        let end = one.wait?.endMilliseconds ?? milliseconds + Coordination.formerMilliseconds
        guard milliseconds < end else { return false }
        var one = one
        one.wait = (milliseconds + Coordination.lookMilliseconds, end)
        proposed.append(one)
        return true
    }

    /// Whether conditions are being compared: a further turn goes on with that.
    var isComparing: Bool { !comparing.isEmpty }

    /// Goes on with the comparisons of conditions with large values, in order; those that are complete are decided next.
    mutating func compare(
        spending units: inout Int, sharing hashes: inout SharedHashes, at milliseconds: UInt64
    ) {
        if comparing.isEmpty { return }
        var complete: [Proposed] = []
        var index = 0
        while index < comparing.count, units > 0 {
            // Also the look at one that waits for the hash of another one.
            units -= 1
            units -= comparing[index].check!.advance(
                spending: units, sharing: &hashes, at: milliseconds)
            if comparing[index].check!.outcome == nil {
                index += 1
            } else {
                complete.append(comparing.remove(at: index))
            }
        }
        proposed = complete + proposed
    }

    /// Removes and returns the first proposal whose dependencies are held, which need not wait, and whose condition is compared
    /// with the tree.
    mutating func nextProposal(
        holding vector: VersionVector, in tree: Value, spending units: inout Int,
        sharing hashes: inout SharedHashes, at milliseconds: UInt64
    ) -> Proposed? {
        func isDue(_ one: Proposed) -> Bool {
            milliseconds >= one.wait?.lookMilliseconds ?? 0 && vector.covers(one.seen)
        }
        while let index = proposed.firstIndex(where: isDue) {
            if proposed[index].check?.outcome != nil { return proposed.remove(at: index) }
            guard units > 0 else { return nil }
            var one = proposed.remove(at: index)
            let proposal = one.proposal
            var check =
                one.check
                ?? HashCheck(
                    for: 0, proposal.condition, isRounded: true, with: tree[proposal.path],
                    at: proposal.path)
            units -= check.advance(
                spending: min(units, limits.firstUnits), sharing: &hashes, at: milliseconds)
            one.check = check
            if check.outcome != nil { return one }
            comparing.append(one)
        }
        return nil
    }

    mutating func dropExpired(at milliseconds: UInt64) {
        if proposed.isEmpty, comparing.isEmpty { return }
        proposed.removeAll { milliseconds >= $0.untilMilliseconds }
        comparing.removeAll { milliseconds >= $0.untilMilliseconds }
    }

    /// Drops all proposals, because this member no longer decides: their nodes send them to the next coordinator.
    mutating func dropAll() {
        proposed.removeAll()
        comparing.removeAll()
        decided.removeAll()
    }

    // MARK: Decisions

    mutating func wait(_ one: Decided) { decided.append(one) }

    /// Removes and returns the decisions that enough members hold, each with the write concern reached.
    mutating func takeHeld(
        at milliseconds: UInt64, by reached: (VersionVector) -> WriteConcern
    ) -> [(Decided, WriteConcern)] {
        var taken: [(Decided, WriteConcern)] = []
        decided.removeAll { one in
            let met = reached(one.basis)
            guard met >= .majority, met >= one.concern || milliseconds >= one.untilMilliseconds
            else { return false }
            taken.append((one, met))
            return true
        }
        return taken
    }

    // MARK: Verdicts

    mutating func send(_ verdict: TransactionDecision, to member: String) {
        verdicts[member, default: []].append(verdict)
    }

    /// Adds an output to be sent to a member at the end of the turn.
    mutating func send(_ output: Output) { outputs.append(output) }

    /// Returns whether other members are to publish a heartbeat at once, and resets that.
    mutating func takeHeartbeatRequest() -> Bool {
        defer { asksForHeartbeats = false }
        return asksForHeartbeats
    }

    /// Removes and returns this turn's outputs to members: first those of `send`, then verdicts by member.
    mutating func takeOutputs() -> [Output] {
        if outputs.isEmpty, verdicts.isEmpty { return [] }
        defer {
            outputs.removeAll()
            verdicts.removeAll()
        }
        return outputs
            + verdicts.sorted { $0.key < $1.key }.map { member, verdicts in
                .answer(member, PeerMessage.decided(verdicts).frame)
            }
    }
}
