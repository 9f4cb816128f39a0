public import DataTree

/// A decision of a cluster, made or proposed, that incarnations of one member have ended.
///
/// Source: `convergence.md`, section 6.
public struct Eviction: Hashable, Sendable {
    /// How many a node remembers: all of them, because an evicted incarnation may return at any time.
    public static let limit = 1_000

    /// Which incarnations of the member are meant.
    public enum Subject: Hashable, Comparable, Sendable {
        /// The one that stamps as this writer: a majority voted it out.
        case incarnation(WriterID)
        /// All that began before the member was left out of the list of nodes for the nth time, counted from 1.
        case allUntilRemoval(UInt64)
    }

    /// If two nodes know different stages, the later one holds.
    public enum Stage: UInt64, CaseIterable, Comparable, Sendable {
        /// Some members have voted for it.
        case wanted
        /// More than half of all members have voted for it: the incarnation is over, and the others wait for the
        /// member no longer.
        case out
        /// The member has rejoined, as another writer, and may have orphaned operations to replay.
        case back
        /// It has replayed them.
        case over

        /// Whether the first comes before the second.
        public static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
    }

    package var member: String
    package var subject: Subject
    package var stage: Stage

    package init(member: String, subject: Subject, stage: Stage = .wanted) {
        self.member = member
        self.subject = subject
        self.stage = stage
    }

    /// The eviction of one incarnation.
    public init(member: String, writer: WriterID, stage: Stage = .wanted) {
        self.init(member: member, subject: .incarnation(writer), stage: stage)
    }

    /// The writer of the one incarnation that is meant; nil if all until a removal are.
    public var writer: WriterID? {
        if case .incarnation(let writer) = subject { writer } else { nil }
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    /// Appends `[member, subject, stage, …]`; a subject is a writer, or an array with the number of a removal.
    public mutating func append(_ evictions: [Eviction]) {
        appendArrayHead(3 * evictions.count)
        for eviction in evictions {
            append(eviction.member)
            switch eviction.subject {
            case .incarnation(let writer): append(writer.bits)
            case .allUntilRemoval(let number):
                appendArrayHead(1)
                append(number)
            }
            append(eviction.stage.rawValue)
        }
    }
}

extension MessagePackReader {
    package mutating func evictions() throws(FrameError) -> [Eviction] {
        let start = position
        let count = try arrayHead("evictions (an array)")
        guard count.isMultiple(of: 3), count <= 3 * Eviction.limit else {
            throw .expected(
                "members, subjects and stages", found: "\(count) elements", at: start)
        }
        return try elements(count / 3) { reader throws(FrameError) in
            Eviction(
                member: try reader.string("a member"), subject: try reader.subject(),
                stage: try reader.numbered("the stage of an eviction"))
        }
    }

    private mutating func subject() throws(FrameError) -> Eviction.Subject {
        guard nextIsShortArray else { return .incarnation(try writerID()) }
        let start = position
        guard try arrayHead("the number of a removal") == 1 else {
            throw .expected("one number of a removal", found: "several", at: start)
        }
        return .allUntilRemoval(try unsigned("the number of a removal"))
    }
}
