extension Check {
    package static let everyTurnEqualsOracle: Check = Check(
        "every-turn-equals-oracle", judges: .nodes, guarantees: "C1",
        claim: "a node always shows the result of its operations",
        criterion: """
            after each turn, each replica equals the naive execution of all its operations (runs \
            of up to 300 operations)
            """,
        watch: ExecutionWatch.self, evaluate: EveryTurnEqualsOracle.evaluate)
}

/// Each replica showed after each turn what the operations it had received give.
enum EveryTurnEqualsOracle {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let oracles = evidence.watches.first(of: ExecutionWatch.self)?.oracles ?? []
        for oracle in oracles {
            if let failure = oracle.failure { return .invalid(failure) }
        }
        let turns = oracles.reduce(0) { $0 + $1.turnCount }
        guard turns > 0 else {
            return .unknown("no turn was compared: that is done in runs of up to 300 operations")
        }
        return .valid("\(turns) turns")
    }
}
