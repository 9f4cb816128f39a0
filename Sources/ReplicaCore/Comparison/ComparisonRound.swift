import DataTree
import Marks
import SyncProtocol

/// A round of a comparison of trees, as one member takes part in it (see `comparison.md`).
struct ComparisonRound: Sendable {
    /// How long the leader waits for members to join, and then for the operations that they have joined with.
    static let joinMilliseconds: UInt64 = 1_000
    static let coverMilliseconds: UInt64 = 2_000
    /// A round that takes longer is given up.
    static let limitMilliseconds: UInt64 = 5_000

    /// The digest that a member has announced.
    private struct Announced: Sendable {
        let member: String
        let digest: TreeDigest
        /// The digest of the vector at which it is that of the tree.
        let vector: UInt64
    }

    /// The state of a round.
    enum Progress: Equatable {
        case waits
        /// A further turn has work to do, without any input.
        case works
        /// The member has announced its digest.
        case announced
        /// The round brings nothing more.
        case ended
    }

    let id: TreeComparison.Round
    let beganMilliseconds: UInt64
    /// The members that the leader waits for; nil at the others.
    private let expected: [String]?
    /// Whether this replica leads the round.
    var isLed: Bool { expected != nil }
    private var joins: [(member: String, vector: VersionVector)] = []
    private var hasJoined = false
    private var shadow: ShadowTree?
    private var agreed: VersionVector?
    private var digest: TreeDigest?
    private var announced: [Announced] = []
    private(set) var progress = Progress.waits

    /// - Parameter expected: The live peers, at the leader.
    init(_ id: TreeComparison.Round, awaiting expected: [String]? = nil, at milliseconds: UInt64) {
        (self.id, self.expected, beganMilliseconds) = (id, expected, milliseconds)
    }

    /// Records an operation that the replica has applied.
    mutating func record(_ operation: Operation, of origin: WriterID) {
        shadow?.record(operation, of: origin)
    }

    /// Processes a message of this round.
    mutating func receive(_ message: TreeComparison) {
        switch message.step {
        case .begin: break
        case .join(let vector):
            guard expected?.contains(message.member) == true,
                !joins.contains(where: { $0.member == message.member })
            else { return }
            joins.append((message.member, vector))
        case .agree(let vector):
            guard message.writer == id.leader, agreed == nil else { return }
            agreed = vector
        case .announce(let digest, let vector):
            guard !announced.contains(where: { $0.member == message.member }) else { return }
            announced.append(
                Announced(member: message.member, digest: digest, vector: vector))
        }
    }

    /// Goes on with the round at the end of a turn; returns the messages to publish.
    mutating func advance(in replication: borrowing Replication) -> [TreeComparison.Step] {
        let elapsed = replication.now.elapsedMilliseconds - beganMilliseconds
        if elapsed >= ComparisonRound.limitMilliseconds || shadow?.isFull == true {
            end()
            return []
        }
        if digest != nil { return [] }
        var steps: [TreeComparison.Step] = []
        if agreed == nil {
            if expected == nil {
                steps += join(in: replication)
            } else {
                steps += agree(in: replication, after: elapsed)
            }
        }
        return steps + announce(in: replication)
    }

    /// Joins a round of another member, with a copy of the tree.
    private mutating func join(in replication: borrowing Replication) -> [TreeComparison.Step] {
        if hasJoined { return [] }
        guard replication.tree.digest != nil else {
            end()
            return []
        }
        hasJoined = true
        shadow = replication.shadowTree
        return [.join(replication.vector)]
    }

    /// Sets the operations of the comparison: those that the leader holds once it holds those of all members. A member whose
    /// operations do not arrive is left out.
    private mutating func agree(
        in replication: borrowing Replication, after elapsed: UInt64
    ) -> [TreeComparison.Step] {
        let count = expected?.count ?? 0
        guard joins.count == count || elapsed >= ComparisonRound.joinMilliseconds else { return [] }
        let covered = joins.count { replication.vector.covers($0.vector) }
        let isLate = elapsed >= ComparisonRound.coverMilliseconds
        guard covered == joins.count || isLate else { return [] }
        guard covered > 0 else {
            end()
            return []
        }
        guard replication.tree.digest != nil else { return [] }
        shadow = replication.shadowTree
        agreed = replication.vector
        return [.agree(replication.vector)]
    }

    /// Announces the digest of the tree with the operations that are agreed, once the replica holds them.
    private mutating func announce(in replication: borrowing Replication) -> [TreeComparison.Step] {
        guard let agreed else { return [] }
        guard let start = shadow?.start, agreed.covers(start) else {
            end()
            return []
        }
        guard replication.vector.covers(agreed) else { return [] }
        guard let digest = shadow?.digest(at: agreed) else {
            sometimes(.comparisonTakesTurns)
            progress = .works
            return []
        }
        (self.digest, shadow, progress) = (digest, nil, .announced)
        return [.announce(digest, at: agreed.digest)]
    }

    /// Removes and returns the members whose digests can be compared, each with whether it is equal.
    mutating func takeCompared() -> [(member: String, isEqual: Bool)] {
        guard let digest, let agreed, !announced.isEmpty else { return [] }
        let vector = agreed.digest
        let compared = announced.filter { $0.vector == vector }
        announced = []
        return compared.map { ($0.member, $0.digest == digest) }
    }

    private mutating func end() { (shadow, progress) = (nil, .ended) }
}

extension Replication {
    /// A copy of the tree with all operations that this replica holds.
    fileprivate var shadowTree: ShadowTree {
        ShadowTree(of: tree, holding: vector, unshown: largeOperations.operations)
    }
}
