import SyncProtocol

extension Check {
    package static let decisionsFollow: Check = Check(
        "decisions-follow", judges: .programs, guarantees: "X2",
        claim: "a coordinator knows all earlier decisions",
        criterion: """
            in each term one coordinator decides; it holds everything that most members held \
            when they voted for it, stamps above earlier coordinators, and knows all \
            acknowledged decisions
            """,
        evaluate: DecisionsFollow.evaluate)
}

/// Coordinators follow one another, whatever places they decide about: each term has one, a later one stamps above all earlier
/// ones, and knows what was said to be done before.
enum DecisionsFollow {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let decided = evidence.recording.issued.filter { $0.operation.term != nil }
            .sorted { ($0.term, $0.operation.stamp) < ($1.term, $1.operation.stamp) }
        if decided.isEmpty { return .unknown("no coordinator decided anything") }
        if let loss = Transactions.permittedLoss(evidence) { return loss }
        if let finding = disorder(in: decided) ?? haste(in: decided, evidence)
            ?? ignorance(in: decided, evidence)
        {
            return finding
        }
        return .valid(decided.count, "decisions of coordinators")
    }

    /// A term with two coordinators, or a later one whose stamps are not later.
    private static func disorder(in decided: [Recording.Issued]) -> Finding? {
        for (before, after) in zip(decided, decided.dropFirst()) {
            if before.term == after.term {
                if before.dot.origin == after.dot.origin { continue }
                return .invalid(
                    "two coordinators decided in the term \(after.term)", before.line, after.line
                ).at(after)
            }
            guard before.operation.stamp >= after.operation.stamp else { continue }
            return .invalid(
                "a coordinator of the term \(after.term) decided with an earlier stamp than one of \(before.term)",
                before.line, after.line
            ).at(after)
        }
        return nil
    }

    /// A decision that does not rest on what most members held as they voted for its coordinator, or that is stamped as an earlier
    /// coordinator's may be.
    private static func haste(in decided: [Recording.Issued], _ evidence: Evidence) -> Finding? {
        // Members off the list are not waited for, even with a lease.
        let mayForget = evidence.scenario.changesMembers
        for decision in decided {
            guard let votes = evidence.recording.announcements.votes[decision.term],
                let held = evidence.recording.held(by: decision)
            else { continue }
            let known = votes.values.count {
                $0.holder == decision.dot.origin && held.covers($0.vector)
                    && max($0.formerCeiling, mayForget ? .zero : $0.allowed)
                        < decision.operation.stamp.time
            }
            if known > evidence.scenario.configuredNodes / 2 { continue }
            return .invalid(
                "a coordinator decided that knew what \(known) of its voters held and had allowed before",
                decision.line
            ).at(decision)
        }
        return nil
    }

    /// A decision of a later term than a transaction that was said to be done, of which its coordinator did not know.
    private static func ignorance(in decided: [Recording.Issued], _ evidence: Evidence) -> Finding?
    {
        let bases = decided.map { ($0, evidence.recording.held(by: $0)) }
        for decision in evidence.history.decisions {
            let named = decided.filter { $0.operation.alias == decision.name }
            guard let last = named.map(\.term).max() else { continue }
            for (later, held) in bases where later.term > last {
                guard let held, !named.contains(where: { held.covers($0.dot) }) else { continue }
                return .invalid(
                    "a transaction was said to be done at \(decision.time.description), and the coordinator of the term "
                        + "\(later.term) decided without it", named[0].line, later.line
                ).at(later)
            }
        }
        return nil
    }
}

extension Recording.Issued {
    fileprivate var term: UInt64 { operation.term ?? 0 }
}

extension Recording {
    /// The vector of its node in the turn that made an operation.
    fileprivate func held(by issued: Issued) -> VersionVector? {
        states[issued.node].first {
            $0.incarnation == issued.incarnation && $0.vector.covers(issued.dot)
        }?.vector
    }
}
