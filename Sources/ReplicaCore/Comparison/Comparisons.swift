import Marks
import SyncProtocol

/// The comparisons of this replica's tree with those of its peers: when there is a round, and its results.
struct Comparisons: Sendable {
    /// The result of the last comparison with a member.
    struct Result: Equatable, Sendable {
        /// When it was.
        var comparedMilliseconds: UInt64
        /// When the present difference was first found; nil if the trees were equal.
        var differsSinceMilliseconds: UInt64?
    }

    private let intervalMilliseconds: UInt64
    private var round: ComparisonRound?
    /// The number of the last round that this replica has led.
    private var number: UInt64 = 0
    /// Whether a member was compared in the round.
    private var hasCompared = false
    /// When this replica begins a round, if it leads; 0 until it serves.
    private var nextMilliseconds: UInt64 = 0
    /// By member.
    private(set) var results: [String: Result] = [:]

    init(every intervalMilliseconds: UInt64) { self.intervalMilliseconds = intervalMilliseconds }

    /// Whether nothing is to be done in this turn.
    func isIdle(at milliseconds: UInt64) -> Bool { round == nil && milliseconds < nextMilliseconds }

    /// Whether a further turn has work to do without any input.
    var hasDueWork: Bool { round?.progress == .works }

    /// The members whose trees differed at the last comparison, ascending.
    var differing: [String] {
        results.filter { $0.value.differsSinceMilliseconds != nil }.keys.sorted()
    }

    /// Records an operation that the replica has applied.
    mutating func record(_ operation: Operation, of origin: WriterID) {
        round?.record(operation, of: origin)
    }

    /// Gives up the round: the tree was replaced, or this replica is no full member for a while.
    mutating func abandon() { round = nil }

    // MARK: Messages

    /// Processes the message of a member.
    mutating func receive(_ message: TreeComparison, at milliseconds: UInt64) {
        if case .begin = message.step {
            guard message.writer == message.round.leader, round.map(isReplaceable) ?? true
            else { return }
            follow(ComparisonRound(message.round, at: milliseconds))
            // It leads only if no other member does so until then.
            nextMilliseconds =
                milliseconds + intervalMilliseconds + ComparisonRound.limitMilliseconds
        } else if round?.id == message.round {
            round?.receive(message)
        }
    }

    /// Whether another round may take the place of one: the member has announced its digest, or the round ended at its leader.
    private func isReplaceable(_ round: ComparisonRound) -> Bool {
        round.progress == .announced || round.progress == .ended
    }

    private mutating func follow(_ next: ComparisonRound) {
        (round, hasCompared) = (next, false)
    }

    // MARK: Turns

    /// Goes on at the end of a turn; returns the messages to publish.
    mutating func advance(in replication: borrowing Replication) -> [TreeComparison] {
        let milliseconds = replication.now.elapsedMilliseconds
        var steps: [TreeComparison.Step] = []
        if round == nil {
            guard milliseconds >= nextMilliseconds, begin(in: replication) else { return [] }
            steps.append(.begin)
        }
        guard let id = round?.id else { return [] }
        steps += round?.advance(in: replication) ?? []
        if round?.progress == .ended { end(at: milliseconds) }
        return steps.map { step in
            TreeComparison(
                cluster: replication.configuration.cluster,
                member: replication.configuration.member, writer: replication.writer, round: id,
                step)
        }
    }

    /// Begins a round if this replica is the live member with the first name, or those before it have not begun one.
    private mutating func begin(in replication: borrowing Replication) -> Bool {
        let milliseconds = replication.now.elapsedMilliseconds
        if nextMilliseconds == 0 {
            nextMilliseconds = milliseconds + intervalMilliseconds / 3
            return false
        }
        let live = replication.peers.remaining.filter {
            replication.peers.isLive($0, at: milliseconds)
        }.map(\.member)
        if live.isEmpty {
            nextMilliseconds = milliseconds + ComparisonRound.joinMilliseconds
            return false
        }
        let rank = live.count { $0 < replication.configuration.member }
        guard milliseconds >= nextMilliseconds + UInt64(rank) * intervalMilliseconds / 3 else {
            return false
        }
        number += 1
        follow(
            ComparisonRound(.init(of: replication.writer, number), awaiting: live, at: milliseconds)
        )
        nextMilliseconds = milliseconds + intervalMilliseconds
        return true
    }

    private mutating func end(at milliseconds: UInt64) {
        if round?.isLed == true, !hasCompared {
            sometimes(.comparisonBringsNothing)
            nextMilliseconds = min(nextMilliseconds, milliseconds + intervalMilliseconds / 3)
        }
        round = nil
    }

    /// Compares the digests that have arrived.
    ///
    /// - Returns: How many trees were compared, and how many of them differed.
    mutating func compare(at milliseconds: UInt64) -> (compared: Int, differing: Int) {
        guard let compared = round?.takeCompared(), !compared.isEmpty else { return (0, 0) }
        hasCompared = true
        for (member, isEqual) in compared {
            let since = results[member]?.differsSinceMilliseconds ?? milliseconds
            results[member] = Result(
                comparedMilliseconds: milliseconds,
                differsSinceMilliseconds: isEqual ? nil : since)
        }
        return (compared.count, compared.count { !$0.isEqual })
    }
}
