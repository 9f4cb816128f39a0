public import DataTree

/// A conditional put on its way to the coordinator, which decides it.
public struct Proposal: Equatable, Sendable {
    /// Names the transaction. Asked for again under the same name, by whatever member, it is done once; it
    /// does not say when it is done.
    public var id: Stamp
    package var path: Path
    /// May hold timestamps and increments, which the coordinator resolves.
    public var value: Value
    /// The hash of what has to be at the path.
    public var condition: DataHash
    /// Beyond a majority of the members, which every decision waits for.
    public var concern: WriteConcern
    /// The user whose transaction it is; nil of an administrator.
    public var attribution: Attribution?

    package init(
        id: Stamp, path: Path, value: Value, condition: DataHash, concern: WriteConcern = .majority,
        attribution: Attribution? = nil
    ) {
        self.id = id
        self.path = path
        self.value = value
        self.condition = condition
        self.concern = concern
        self.attribution = attribution
    }
}

/// Some proposals of one member, in the order in which its clients made them.
public struct Proposals: Equatable, Sendable {
    package var member: String
    /// The incarnation of the coordinator that they are meant for; another one ignores them.
    public var coordinator: WriterID
    /// The operations that the member held when it sent them. Its clients have seen no more, so the coordinator
    /// decides once it holds them.
    public var seen: VersionVector
    package var all: [Proposal]

    package init(member: String, coordinator: WriterID, seen: VersionVector, all: [Proposal]) {
        self.member = member
        self.coordinator = coordinator
        self.seen = seen
        self.all = all
    }
}

/// A decision of the coordinator.
public struct TransactionDecision: Equatable, Sendable {
    /// The outcome of a proposal.
    public enum Outcome: Equatable, Sendable {
        /// It is done, and durable on so many members.
        case done(WriteConcern)
        /// The data have another hash.
        case changed
        /// The value cannot be written there.
        case invalid(problem: String, fix: String)
        /// The proposal is so old that its outcome is forgotten.
        case forgotten
    }

    package var id: Stamp
    package var outcome: Outcome
    /// The basis of the decision. The client's node answers once it holds this.
    public var basis: VersionVector

    package init(_ id: Stamp, _ outcome: Outcome, basis: VersionVector) {
        self.id = id
        self.outcome = outcome
        self.basis = basis
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    mutating func append(_ proposals: Proposals) {
        appendMessageHead("propose", 5)
        append(proposals.member)
        append(proposals.coordinator.bits)
        append(proposals.seen)
        appendArrayHead(6 * proposals.all.count)
        for proposal in proposals.all {
            append(proposal.id)
            append(proposal.path)
            append(proposal.value)
            append(proposal.condition.text)
            append(proposal.concern.rawValue)
            append(proposal.attribution)
        }
    }

    mutating func append(_ verdicts: [TransactionDecision]) {
        appendMessageHead("decided", 2)
        appendArrayHead(5 * verdicts.count)
        for verdict in verdicts {
            append(verdict.id)
            append(verdict.outcome.name)
            append(verdict.outcome.problem)
            append(verdict.outcome.fix)
            append(verdict.basis)
        }
    }
}

extension TransactionDecision.Outcome {
    fileprivate var name: String {
        switch self {
        case .done(let concern): concern.rawValue
        case .changed: "changed"
        case .invalid: "invalid"
        case .forgotten: "forgotten"
        }
    }

    fileprivate var problem: String {
        if case .invalid(let problem, _) = self { problem } else { "" }
    }

    fileprivate var fix: String {
        if case .invalid(_, let fix) = self { fix } else { "" }
    }

    fileprivate init?(name: String, problem: String, fix: String) {
        switch name {
        case "changed": self = .changed
        case "invalid": self = .invalid(problem: problem, fix: fix)
        case "forgotten": self = .forgotten
        default:
            guard let concern = WriteConcern(rawValue: name) else { return nil }
            self = .done(concern)
        }
    }
}

extension MessagePackReader {
    mutating func proposals() throws(FrameError) -> Proposals {
        let (member, coordinator) = (try string("a member"), try writerID())
        let seen = try vector()
        let count = try tupleCount("proposals, 6 elements each", of: 6)
        let all = try elements(count) { reader throws(FrameError) in
            Proposal(
                id: try reader.stamp(), path: try reader.path(), value: try reader.value(),
                condition: try reader.dataHash(), concern: try reader.writeConcern(),
                attribution: try reader.attribution())
        }
        return Proposals(member: member, coordinator: coordinator, seen: seen, all: all)
    }

    mutating func verdicts() throws(FrameError) -> [TransactionDecision] {
        var verdicts: [TransactionDecision] = []
        for _ in 0..<(try tupleCount("verdicts, 5 elements each", of: 5)) {
            let (id, start) = (try stamp(), position)
            let (name, problem) = (try string("an outcome"), try string("a problem"))
            let fix = try string("a fix")
            guard let outcome = TransactionDecision.Outcome(name: name, problem: problem, fix: fix)
            else {
                throw .expected("an outcome", found: "\"\(name.prefix(40))\"", at: start)
            }
            verdicts.append(TransactionDecision(id, outcome, basis: try vector()))
        }
        return verdicts
    }

    /// Takes the head of an array of so many elements for each of what it holds.
    private mutating func tupleCount(
        _ wanted: StaticString, of size: Int
    ) throws(FrameError) -> Int {
        let start = position
        let count = try arrayHead(wanted)
        guard count.isMultiple(of: size) else {
            throw .expected(wanted, found: "an array of \(count)", at: start)
        }
        return count / size
    }
}
