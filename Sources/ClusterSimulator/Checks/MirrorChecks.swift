extension Check {
    package static let stableAnswersHold: Check = Check(
        "stable-answers-hold", judges: .dense, guarantees: "X3",
        claim: "a wait for stability ends after all earlier writes",
        criterion: """
            a wait for stability is answered once its node holds all earlier writes and has sent \
            held-back changes (without clocks that are set, or writes that may be lost or \
            replayed)
            """,
        evaluate: {
            MirrorChecks.evaluate(
                .stableAnswersHold, "answers to clients that waited until all was stable", $0)
        })

    package static let queriesShowTheTree: Check = Check(
        "queries-show-the-tree", judges: .dense, guarantees: "E6",
        claim: "the data of a query are those of the tree",
        criterion: """
            after each frame, the data of each listen of a dense program equal a naive query of \
            its node's tree at that moment
            """,
        evaluate: {
            MirrorChecks.evaluate(
                .queriesShowTheTree, "listens of dense programs after a frame", $0)
        })

    package static let ownWritesShow: Check = Check(
        "own-writes-show", judges: .dense, guarantees: "S1",
        claim: "a listener shows its client's open writes at once",
        criterion: """
            after each turn, a listener of a dense program shows the received data with the \
            client's own unanswered writes over it, where these determine it, and no value that \
            the client has not received
            """,
        evaluate: {
            MirrorChecks.evaluate(.ownWritesShow, "listeners of dense programs after a turn", $0)
        })

    package static let clientsKeepWhatTheySaw: Check = Check(
        "clients-keep-what-they-saw", judges: .dense, guarantees: "S1, S2",
        claim: "a node holds what each of its clients has seen",
        criterion: """
            whenever a client of the library connects to a node, it reports everything that it \
            has seen, or has searched long enough for a node with it; no node that serves a \
            dense program holds less than the program has seen
            """,
        evaluate: {
            MirrorChecks.evaluate(
                .clientsKeepWhatTheySaw,
                "sessions of clients, and acknowledged writes of dense programs", $0)
        })

    package static let readsAgree: Check = Check(
        "reads-agree", judges: .dense, guarantees: "S1",
        claim: "a read equals a listener's state at its location",
        criterion: """
            a read of a dense program equals the state of its own listener, and is refused only \
            while the program is offline
            """,
        evaluate: { MirrorChecks.evaluate(.readsAgree, "reads of dense programs", $0) })

    package static let nonsenseIsRefused: Check = Check(
        "nonsense-is-refused", judges: .clients,
        claim: "the library refuses invalid requests",
        criterion: """
            the library refuses invalid requests and queries of dense programs at once, without \
            an effect
            """,
        evaluate: {
            MirrorChecks.evaluate(
                .nonsenseIsRefused, "requests and queries that have to be refused", $0)
        })

    package static let requestsEndInTime: Check = Check(
        "requests-end-in-time", judges: .library,
        traits: [.timed],
        claim: "a request with a time limit ends at that time",
        criterion: """
            a request of a dense program with a time limit has an outcome at that time, and not \
            earlier for lack of a node before every node has been tried; a transaction that no \
            node can have received ends when its program overwrites its location
            """,
        evaluate: {
            MirrorChecks.evaluate(
                .requestsEndInTime, "requests of dense programs with limited patience", $0)
        })
}

/// The data that dense programs received and showed are right, by the criterion of one check.
enum MirrorChecks {
    static func evaluate(_ check: Check, _ subject: String, _ evidence: Evidence) -> Finding {
        if let failure = failure(of: check, evidence) { return failure }
        let count = evidence.sdkClients.reduce(0) { $0 + ($1.tally.counts[check] ?? 0) }
        return .valid(count, subject)
    }

    /// The first dense program of which a check says that something is wrong.
    static func failure(of check: Check, _ evidence: Evidence) -> Finding? {
        for client in evidence.sdkClients {
            guard let failure = client.tally.failures[check] else { continue }
            return .invalid("c\(client.index + 1) \(failure)")
        }
        return nil
    }
}
