/// The result of a check, before it gets the check's name.
struct Finding {
    var verdict: Verdict
    var details: String
    /// The few lines of the history that show what is wrong.
    var witness: [String] = []

    static func invalid(_ problem: String, _ witness: String...) -> Finding {
        Finding(verdict: .invalid, details: problem, witness: witness)
    }

    static func unknown(_ reason: String) -> Finding {
        Finding(verdict: .unknown, details: reason)
    }

    static func valid(_ details: String) -> Finding {
        Finding(verdict: .valid, details: details)
    }

    /// Valid if there was something to check.
    static func valid(_ count: Int, _ what: String) -> Finding {
        count == 0 ? .unknown("there were no \(what)") : .valid("\(count) \(what)")
    }
}
