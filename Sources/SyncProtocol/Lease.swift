public import DataTree

/// A vote for the coordinator, the member that decides transactions: the term of the election, the chosen member,
/// and the vote's extent.
///
/// Every heartbeat carries the vote of its sender. A member that votes for itself asks for the votes of the
/// others, and renews its lease with each heartbeat. Source: Gray and Cheriton, *Leases*; Ongaro and
/// Ousterhout, *Raft*, for the terms.
public struct Lease: Equatable, Sendable {
    /// The highest term on the wire; elections end there.
    public static let lastTerm: UInt64 = 1 << 48

    /// The stage of the sender's vote.
    public enum Stage: UInt64, Sendable {
        /// The sender votes for the holder.
        case given
        /// The sender is the holder itself, and asks for the votes of others, or for their renewal.
        case asking
        /// The sender is the holder, has enough votes and has caught up: others send it their transactions.
        case deciding
    }

    /// Which election this is a vote in; a member votes once in a term, and never in an earlier one.
    public var term: UInt64
    /// The writer that decides if most members vote for it.
    public var holder: WriterID
    /// When the holder sent the renewal that this vote answers, on the holder's own monotonic clock.
    public var renewedMilliseconds: UInt64
    /// The holder stamps no transaction later than this before it has renewed the lease.
    public var ceiling: HybridTime
    /// No earlier holder that the sender has voted for had a higher ceiling than this, or a later term.
    public var formerCeiling: HybridTime
    package var formerTerm: UInt64
    package var stage: Stage

    package init(
        term: UInt64, holder: WriterID, renewedMilliseconds: UInt64, ceiling: HybridTime,
        formerCeiling: HybridTime, formerTerm: UInt64 = 0,
        stage: Stage = .given
    ) {
        self.term = term
        self.holder = holder
        self.renewedMilliseconds = renewedMilliseconds
        self.ceiling = ceiling
        self.formerCeiling = formerCeiling
        self.formerTerm = formerTerm
        self.stage = stage
    }

    /// Whether another vote is for the same holder, in the same term.
    public func isSameVote(as other: Lease?) -> Bool {
        term == other?.term && holder == other?.holder
    }
}

extension MessagePackWriter {
    /// Appends `[term, holder, renewed milliseconds, ceiling, former ceiling, former term, stage]`, or
    /// `[]` for no vote.
    public mutating func append(_ lease: Lease?) {
        guard let lease else { return appendArrayHead(0) }
        appendArrayHead(7)
        append(lease.term)
        append(lease.holder.bits)
        append(lease.renewedMilliseconds)
        append(lease.ceiling.bits)
        append(lease.formerCeiling.bits)
        append(lease.formerTerm)
        append(lease.stage.rawValue)
    }
}

extension MessagePackReader {
    package mutating func lease() throws(FrameError) -> Lease? {
        let start = position
        let count = try arrayHead("a vote (an array)")
        if count == 0 { return nil }
        guard count == 7 else {
            throw .expected("a vote of 7 elements", found: "\(count)", at: start)
        }
        let lease = Lease(
            term: try unsigned("the term of a vote"), holder: try writerID(),
            renewedMilliseconds: try unsigned("milliseconds"), ceiling: try time(),
            formerCeiling: try time(), formerTerm: try unsigned("the term of a vote"),
            stage: try numbered("the stage of a vote"))
        guard lease.term <= Lease.lastTerm, lease.renewedMilliseconds <= Lease.lastTerm else {
            throw .expected("a term that can be", found: "\(lease.term)", at: start)
        }
        return lease
    }
}
