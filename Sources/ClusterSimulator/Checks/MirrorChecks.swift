/// What dense programs were told and shown is right, as far as one check goes.
enum MirrorChecks {
    static func judge(_ check: Check, _ evidence: Evidence) -> Finding {
        if let failure = failure(of: check, evidence) { return failure }
        let count = evidence.sdkClients.reduce(0) { $0 + ($1.tally.counts[check] ?? 0) }
        return .valid(count, subject(of: check))
    }

    /// The first dense program of which a check says that something is wrong.
    static func failure(of check: Check, _ evidence: Evidence) -> Finding? {
        for client in evidence.sdkClients {
            guard let failure = client.tally.failures[check] else { continue }
            return .invalid("c\(client.index + 1) \(failure)")
        }
        return nil
    }

    private static func subject(of check: Check) -> String {
        switch check {
        case .queriesShowTheTree: "listens of dense programs after a frame"
        case .ownWritesShow: "listeners of dense programs after a turn"
        case .requestsEndInTime: "requests of dense programs with limited patience"
        case .stableAnswersHold: "answers to clients that waited until all was stable"
        case .readsAgree: "reads of dense programs"
        case .nonsenseIsRefused: "requests and queries that have to be refused"
        default: "sessions of clients, and acknowledged writes of dense programs"
        }
    }
}
