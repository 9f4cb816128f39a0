/// The result of a check, before it gets the check's name.
struct Finding {
    var verdict: Verdict
    var details: String
    /// Whether there was something to check, and the check excuses itself: the run may break the claim for this reason.
    var isExcused = false
    /// The few lines of the history that show what is wrong.
    var witness: [String] = []
    /// The request of a client that the finding is about.
    var subject: ClientOperation.Name?
    /// The other requests that it compares with the subject.
    var compared: [ClientOperation.Name] = []
    /// The node and the time at which the violation shows.
    var moment: FindingMoment?
    /// Which invariant of the scenario is violated, counted from 0.
    var invariant: Int?

    /// The finding, with the node at which it shows and the time.
    func at(_ time: Microseconds, node: Int) -> Finding {
        var finding = self
        finding.moment = FindingMoment(time: time, node: node)
        return finding
    }

    /// The finding, which shows in a state of a node.
    func at(_ state: Recording.State) -> Finding { at(state.time, node: state.node) }

    /// The finding, which shows in an operation that a node makes.
    func at(_ issued: Recording.Issued) -> Finding { at(issued.time, node: issued.node) }

    /// The finding, with the request that it is about, and those that it compares with it.
    func about(_ operation: ClientOperation, comparedWith others: ClientOperation...) -> Finding {
        var finding = self
        finding.subject = operation.operationName
        finding.compared = others.map(\.operationName)
        return finding
    }

    static func invalid(_ problem: String, _ witness: String...) -> Finding {
        Finding(verdict: .invalid, details: problem, witness: witness)
    }

    static func unknown(_ reason: String) -> Finding {
        Finding(verdict: .unknown, details: reason)
    }

    /// The run had a fault that permits a violation, so the check says nothing.
    static func excused(_ reason: String) -> Finding {
        var finding = unknown(reason)
        finding.isExcused = true
        return finding
    }

    static func valid(_ details: String) -> Finding {
        Finding(verdict: .valid, details: details)
    }

    /// Valid if there was something to check.
    static func valid(_ count: Int, _ what: String) -> Finding {
        count == 0 ? .unknown("there were no \(what)") : .valid("\(count) \(what)")
    }
}

/// A node, counted from 0, and a time of the run.
struct FindingMoment: Hashable {
    var time: Microseconds
    var node: Int
}
