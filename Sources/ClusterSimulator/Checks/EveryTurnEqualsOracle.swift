/// Each replica showed after each turn what the operations it had received give.
enum EveryTurnEqualsOracle {
    static func judge(_ evidence: Evidence) -> Finding {
        for node in evidence.everyTurn {
            if let failure = node.failure { return .invalid(failure) }
        }
        let turns = evidence.everyTurn.reduce(0) { $0 + $1.turnCount }
        guard turns > 0 else {
            return .unknown("no turn was compared: that is done in runs of up to 300 operations")
        }
        return .valid("\(turns) turns")
    }
}
