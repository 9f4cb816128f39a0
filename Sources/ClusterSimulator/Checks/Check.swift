/// A claim that scenarios make of a run, and its evaluation.
///
/// Each check is declared in the file that evaluates it, and has a row in `Check.all`. Help, pages and scenarios use only this
/// declaration.
public struct Check: Sendable {
    /// The clients or nodes that a check needs: without them it has nothing to check.
    public enum Subject: String, CaseIterable, Sendable {
        case nodes
        case clients = "clients of count"
        /// Protocol clients do not report what they have seen.
        case library = "count, not protocol"
        case listeners
        case programs = "applications, firebase"
        case dense
        case idle
        case rest
        case streams
        case users
        case databases
        case all = "nodes and clients"
        case scenario = "nodes, as you say"
    }

    struct Traits: OptionSet {
        let rawValue: Int
        /// It compares the end of a run, where nodes that never became equal differ anyway.
        static let atEnd = Traits(rawValue: 1)
        /// It limits durations, which a search by priorities changes.
        static let timed = Traits(rawValue: 2)
    }

    public let name: String
    public let subject: Subject
    /// The promises to users that it covers, as in `C1`; empty for none.
    let guarantees: String
    /// The kind of failure that a violation is.
    package let failureKind: FailureKind
    let traits: Traits
    /// The claim in a few words, for the help.
    public let claim: String
    /// The exact criterion, for the page.
    let criterion: String
    let evaluation: any CheckEvaluation

    init(
        _ name: String, judges subject: Subject, guarantees: String, failure: FailureKind,
        traits: Traits, claim: String, criterion: String, evaluation: any CheckEvaluation
    ) {
        self.name = name
        self.subject = subject
        self.guarantees = guarantees
        failureKind = failure
        self.traits = traits
        self.claim = claim
        self.criterion = criterion
        self.evaluation = evaluation
    }
}

/// The way to evaluate a check. Its conformer is `Evaluation`; scenarios, which name checks, do not depend on runs.
protocol CheckEvaluation: Sendable {}

extension Check: CustomStringConvertible {
    public var description: String { name }
}

extension Check: Hashable {
    public static func == (first: Check, second: Check) -> Bool { first.name == second.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Check {
    var isTimed: Bool { traits.contains(.timed) }
    package var judgesTheEnd: Bool { traits.contains(.atEnd) }

    /// The check's row in the table of the page.
    public var row: String {
        let guarantees = guarantees.isEmpty ? " " : " \(guarantees) "
        return "| `\(name)` |\(guarantees)| \(criterion) |"
    }
}

/// The verdict of a check.
public enum Verdict: String, Sendable {
    case valid
    case invalid
    /// There was nothing to check; this is no success.
    case unknown
}

/// The finding of one check in one run.
public struct CheckResult: Equatable, Sendable {
    package let check: Check
    package let verdict: Verdict
    /// The checked elements, the smallest witness of a violation, or the reason why nothing was checked.
    public internal(set) var details: String
    /// Whether there was something to check, and the check excuses itself for the reason of `details`.
    public var isExcused = false
    /// The few lines of the history that show what is wrong.
    public var witness: [String] = []
    /// The request of a client that it is about.
    var subject: ClientOperation.Name?
    /// The other requests that it compares with the subject.
    var compared: [ClientOperation.Name] = []
    /// The node and the time at which the violation shows.
    var moment: FindingMoment?
    /// Which invariant of the scenario is violated, counted from 0.
    var invariant: Int?
}
