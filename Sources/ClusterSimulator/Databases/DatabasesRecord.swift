/// The claims about several databases, each of which a check judges.
enum DatabaseClaim {
    case survive, apart, equal, complete, sleep, answer, removed, goOn, place, redirect
}

/// The findings of a run with several databases, and the events of one that is traced.
struct DatabasesRecord {
    /// A violation of a claim, and the database that shows it.
    struct Violation {
        let claim: DatabaseClaim
        let text: String
        let database: String?
    }

    /// An event of a traced run; without a database, it concerns all of them.
    struct Line {
        let milliseconds: UInt64
        let database: String?
        let text: String
    }

    private(set) var violations: [Violation] = []
    private var counts: [DatabaseClaim: Int] = [:]
    var statistics = SimulationStatistics()
    var trace: [Line]?
    var milliseconds: UInt64 = 0
    /// A hash of all answers.
    var hash = TraceHash()

    /// Records that a claim holds in one more case.
    mutating func count(_ claim: DatabaseClaim) { counts[claim, default: 0] += 1 }

    /// How many cases of a claim there were.
    func cases(of claim: DatabaseClaim) -> Int { counts[claim] ?? 0 }

    mutating func add(_ claim: DatabaseClaim, _ text: String, in database: String? = nil) {
        violations.append(Violation(claim: claim, text: text, database: database))
        trace("! " + text, of: database)
    }

    /// Counts a fault.
    mutating func count(_ fault: WritableKeyPath<SimulationStatistics, Int>, _ text: String) {
        statistics[keyPath: fault] += 1
        trace(text)
    }

    mutating func trace(_ text: @autoclosure () -> String, of database: String? = nil) {
        trace?.append(Line(milliseconds: milliseconds, database: database, text: text()))
    }

    /// The lines about the first violation: those of its database, and those of all.
    var course: [String] {
        guard let trace, let first = violations.first else { return [] }
        let relevant = trace.filter { line in
            first.database == nil || line.database == nil || line.database == first.database
        }
        return relevant.map {
            "\($0.milliseconds) ms  \($0.database.map { $0 + ": " } ?? "")\($0.text)"
        }
    }
}
