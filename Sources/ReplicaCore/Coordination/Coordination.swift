import SyncProtocol

/// The transactions of a replica: those of its clients on their way to the coordinator, and those that it
/// decides if it is the coordinator itself.
///
/// The way of one: `propose` at the node of the client → `decide` at the coordinator → an operation as any
/// other → `decided` once most members hold that → the answer, once the node of the client holds it too.
struct Coordination: Sendable {
    /// Proposals that may wait for what they rest on, or for the lease; the rest is sent again.
    static let queueLimit = 10_000
    static let queueMilliseconds: UInt64 = 5_000
    /// Without news it looks so often whether a lease is to be renewed, or a candidate to stand.
    static let lookMilliseconds: UInt64 = 25

    /// A proposal that is not decided yet.
    struct Proposed: Sendable {
        var proposal: Proposal
        var member: String
        var seen: VersionVector
        var untilMilliseconds: UInt64
    }

    /// A decision that not enough members hold yet.
    struct Decided: Sendable {
        var id: Stamp
        var member: String
        /// What they have to hold.
        var basis: VersionVector
        var concern: WriteConcern
        /// When the concern beyond a majority is given up.
        var untilMilliseconds: UInt64
    }

    /// The name of this node.
    let member: String
    var election: Election
    var forwarded = ForwardedTransactions()
    var terms = DecidedTerms()
    /// Whether this member holds all that it ever promised to hold, so that its vote counts: an incarnation without a
    /// past has to hear all others first.
    var isInformed: Bool
    private(set) var proposed: [Proposed] = []
    private(set) var decided: [Decided] = []
    /// What members are told at the end of the turn, in the order of their names.
    private var verdicts: [String: [Verdict]] = [:]
    private var outputs: [Output] = []
    /// Whether an answer waits until other members hold what this turn has decided.
    var asksForHeartbeats = false
    /// Whether a member has told something that may concern an election since the last look.
    private var hasNews = false
    private var nextLookMilliseconds: UInt64 = 0

    init(_ configuration: ReplicaConfiguration, own: WriterID, vote: Lease?, hasPast: Bool) {
        member = configuration.member
        election = Election(own: own, leaseMilliseconds: configuration.leaseMilliseconds)
        isInformed = hasPast
        if let vote { election.restore(vote) }
    }

    /// This member goes on as another writer.
    mutating func change(own writer: WriterID) {
        election.change(own: writer)
        dropAll()
    }

    // MARK: Turns

    /// Whether there may be something to do: most turns bring no heartbeat and no transaction, and cost nothing.
    func isDue(at milliseconds: UInt64) -> Bool {
        hasNews || milliseconds >= nextLookMilliseconds || !forwarded.isEmpty || !proposed.isEmpty
            || !decided.isEmpty || election.isStanding
    }

    /// Looks after elections and transactions in this turn.
    mutating func beginLook(at milliseconds: UInt64) {
        hasNews = false
        nextLookMilliseconds = milliseconds + Coordination.lookMilliseconds
    }

    /// Hears what a member votes for; returns whether this member has given that one its vote, for which it waits.
    mutating func hear(_ heartbeat: Heartbeat, at milliseconds: UInt64, mayVote: Bool) -> Bool {
        hasNews = true
        return election.hear(heartbeat, at: milliseconds, mayVote: mayVote)
    }

    /// A member's incarnation has ended; if it said so, it has stamped nothing later than `time`.
    mutating func release(_ writer: WriterID, after time: HybridTime? = nil) {
        hasNews = true
        election.release(writer, after: time)
    }

    // MARK: Proposals

    /// Takes proposals, each once: what comes again replaces what waits.
    mutating func propose(_ batch: Proposals, at milliseconds: UInt64) {
        for proposal in batch.all {
            if decided.contains(where: { $0.id == proposal.id }) { continue }
            let one = Proposed(
                proposal: proposal, member: batch.member, seen: batch.seen,
                untilMilliseconds: milliseconds + Coordination.queueMilliseconds)
            if let index = proposed.firstIndex(where: { $0.proposal.id == proposal.id }) {
                proposed[index] = one
            } else if proposed.count < Coordination.queueLimit {
                proposed.append(one)
            }
        }
    }

    /// Takes the first proposal that rests on nothing but what is held.
    mutating func nextProposal(holding vector: VersionVector) -> Proposed? {
        proposed.firstIndex { vector.covers($0.seen) }.map { proposed.remove(at: $0) }
    }

    mutating func dropExpired(at milliseconds: UInt64) {
        if proposed.isEmpty { return }
        proposed.removeAll { milliseconds >= $0.untilMilliseconds }
    }

    /// This member does not decide any more: whoever does is asked again.
    mutating func dropAll() {
        proposed.removeAll()
        decided.removeAll()
    }

    // MARK: Decisions

    mutating func wait(_ one: Decided) { decided.append(one) }

    /// Takes those that enough members hold, each with the concern that is met.
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

    mutating func tell(_ verdict: Verdict, to member: String) {
        verdicts[member, default: []].append(verdict)
    }

    /// Sends something to a member at the end of the turn.
    mutating func send(_ output: Output) { outputs.append(output) }

    /// Takes the request that other members publish at once what they hold.
    mutating func takeHeartbeatRequest() -> Bool {
        defer { asksForHeartbeats = false }
        return asksForHeartbeats
    }

    /// Takes what this turn sends to members: first what was sent, then verdicts member by member.
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
