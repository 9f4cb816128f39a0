public import DataTree

/// A message of a comparison of trees: nodes announce the digests of their trees at one version vector.
///
/// A comparison has a *round* with a leader. The leader begins it, each member joins with the operations that its tree has then,
/// the leader sets a vector that covers these, and each member announces its digest there. Source: `comparison.md` of
/// ReplicaCore.
public struct TreeComparison: Equatable, Sendable {
    /// The identity of a round: the writer of its leader, and a number that ascends in each incarnation.
    public struct Round: Hashable, Sendable {
        /// The writer of the leader.
        package var leader: WriterID
        /// The number of the round at the leader.
        package var number: UInt64

        package init(of leader: WriterID, _ number: UInt64) {
            (self.leader, self.number) = (leader, number)
        }
    }

    /// The steps of a round.
    public enum Step: Equatable, Sendable {
        /// The leader begins the round.
        case begin
        /// The sender has a copy of its tree with these operations.
        case join(VersionVector)
        /// The leader sets the operations with which the trees are compared.
        case agree(VersionVector)
        /// The digest of the sender's tree with these operations, which their own digest names.
        case announce(TreeDigest, at: UInt64)
    }

    package var cluster: String
    package var member: String
    package var writer: WriterID
    /// The round.
    public var round: Round
    /// What the sender does in it.
    public var step: Step

    package init(
        cluster: String, member: String, writer: WriterID, round: Round, _ step: Step
    ) {
        (self.cluster, self.member, self.writer) = (cluster, member, writer)
        (self.round, self.step) = (round, step)
    }
}

extension MessagePackWriter {
    mutating func append(_ comparison: TreeComparison) {
        appendMessageHead("comparison", 8)
        append(comparison.cluster)
        append(comparison.member)
        append(comparison.writer.bits)
        append(comparison.round.leader.bits)
        append(comparison.round.number)
        switch comparison.step {
        case .begin:
            append("begin")
            appendNil()
        case .join(let vector):
            append("join")
            append(vector)
        case .agree(let vector):
            append("agree")
            append(vector)
        case .announce(let digest, let vector):
            append("announce")
            appendArrayHead(3)
            append(digest.first)
            append(digest.second)
            append(vector)
        }
    }
}

extension MessagePackReader {
    mutating func comparison() throws(FrameError) -> TreeComparison {
        TreeComparison(
            cluster: try string("a cluster"), member: try string("a member"),
            writer: try writerID(),
            round: .init(of: try writerID(), try unsigned("the number of a round")),
            try step())
    }

    private mutating func step() throws(FrameError) -> TreeComparison.Step {
        let start = position
        switch try string("a step of a comparison") {
        case "begin":
            guard takeNil() else {
                throw .expected("nil", found: "something else", at: position)
            }
            return .begin
        case "join": return .join(try vector())
        case "agree": return .agree(try vector())
        case "announce":
            let start = position
            guard try arrayHead("a digest") == 3 else {
                throw .expected(
                    "a digest as [word, word, vector]", found: "another array", at: start)
            }
            let digest = TreeDigest(
                try unsigned("a word of a digest"), try unsigned("a word of a digest"))
            return .announce(digest, at: try unsigned("the digest of a vector"))
        case let other:
            throw .expected(
                "begin, join, agree or announce", found: "\"\(other)\"", at: start)
        }
    }
}
