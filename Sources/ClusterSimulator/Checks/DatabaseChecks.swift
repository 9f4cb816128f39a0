/// The evaluation of a check in a run with several databases.
struct DatabaseEvaluation: CheckEvaluation {
    let claim: DatabaseClaim
    /// The cases that are counted.
    let cases: String
}

extension Check {
    private init(
        _ name: String, of claim: DatabaseClaim, _ cases: String, guarantees: String = "",
        failure: FailureKind = .safety, traits: Traits = [], claim words: String, criterion: String
    ) {
        self.init(
            name, judges: .databases, guarantees: guarantees, failure: failure, traits: traits,
            claim: words, criterion: criterion,
            evaluation: DatabaseEvaluation(claim: claim, cases: cases))
    }

    /// Returns the result of the check in a run with several databases; nil for a check of other runs.
    func evaluate(_ record: DatabasesRecord) -> CheckResult? {
        guard let evaluation = evaluation as? DatabaseEvaluation else { return nil }
        let violations = record.violations.filter { $0.claim == evaluation.claim }
        guard let first = violations.first else {
            let finding = Finding.valid(record.cases(of: evaluation.claim), evaluation.cases)
            return CheckResult(check: self, verdict: finding.verdict, details: finding.details)
        }
        return CheckResult(
            check: self, verdict: .invalid, details: first.text,
            witness: violations.dropFirst().prefix(3).map(\.text))
    }

    static let databaseWritesSurvive: Check = Check(
        "database-writes-survive", of: .survive, "writes at nodes", guarantees: "D1",
        failure: .durability, traits: .atEnd,
        claim: "no write of any database is lost",
        criterion: """
            at the end each node of a database has each acknowledged write of it, and each sum has all \
            acknowledged increments and transactions, and no others than those without an answer; what \
            is missing there is in files that a node keeps aside, and no node deletes files with \
            operations that no other node has
            """)
    static let databasesStayApart: Check = Check(
        "databases-stay-apart", of: .apart, "values that clients read", guarantees: "C1",
        claim: "no operation reaches another database",
        criterion: """
            each value that a client reads, that a listener receives, or that a node has at the end \
            was written in this database
            """)
    static let databasesConverge: Check = Check(
        "databases-converge", of: .equal, "databases", guarantees: "C1, C2", traits: .atEnd,
        claim: "all nodes have the same databases with the same data",
        criterion: """
            at the end each node has all databases that are placed on it, and in each of them the \
            same operations and the same tree on its disk as the others
            """)
    static let databasesWakeComplete: Check = Check(
        "databases-wake-complete", of: .complete, "reads after waking",
        claim: "a node that wakes a database serves all of it",
        criterion: """
            a node that reached all others when a database woke, and since then always did, serves \
            each write that was acknowledged half a second before the read
            """)
    static let databasesFallAsleep: Check = Check(
        "databases-fall-asleep", of: .sleep, "times of rest", guarantees: "C2",
        failure: .liveness,
        claim: "unused databases sleep",
        criterion:
            "once all faults are over and no client is left, all databases sleep at all nodes"
    )
    static let databaseRequestsEnd: Check = Check(
        "database-requests-end", of: .answer, "requests", failure: .liveness,
        claim: "each request of a database ends",
        criterion: """
            each request is answered or refused within 25 s, whatever its database does meanwhile, \
            unless its connection ends
            """)
    static let removedDatabasesStayAway: Check = Check(
        "removed-databases-stay-away", of: .removed, "requests of removed databases",
        guarantees: "D3",
        claim: "a removed database does not come back",
        criterion: """
            a node that knows of a removal serves no request of the database, and ends its listeners \
            within 2 s; at the end no node lists a database whose removal was acknowledged, or has \
            its files
            """)
    static let databasesGoOn: Check = Check(
        "databases-go-on", of: .goOn, "databases that woke", failure: .liveness,
        claim: "a database works after it has slept",
        criterion: """
            once all databases have slept, a transaction in each of them succeeds, and 7 s later its \
            stable time at all nodes is that of the request at least
            """)
    static let placementsExcludeEachOther: Check = Check(
        "placements-exclude-each-other", of: .place, "moves and creations", guarantees: "D1",
        claim: "a database has one placement at a time",
        criterion: """
            nodes that serve a database at the same moment know the same nodes of it, and no node \
            answers for a database that has moved away; at the end no database moves, all nodes know \
            the same placements, and no other nodes keep its files
            """)
    static let redirectsArrive: Check = Check(
        "redirects-arrive", of: .redirect, "redirects", failure: .liveness,
        claim: "redirects of a database end",
        criterion: "no request is redirected twice to the same node for the same placement")
}
