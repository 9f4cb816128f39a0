extension Check {
    package static let listenersConverge: Check = Check(
        "listeners-converge", judges: .listeners, guarantees: "E1, E6",
        traits: [.atEnd],
        claim: "a listener's changes result in the state of its node",
        criterion: """
            a listener's changes result in the state of its node, and each changes something; \
            the first fifty listeners are followed frame by frame, and all are judged by their \
            final state
            """,
        evaluate: ListenersConverge.evaluate)
}

/// The changes that each listener received make up what its node shows.
enum ListenersConverge {
    static func evaluate(_ evidence: Evidence) -> Finding {
        if evidence.listeners.isEmpty { return .unknown("there were no listeners") }
        for listener in evidence.listeners {
            let listening = listener.listening
            let who = "\(listener.name), which listens at \(listening.path) of \(listener.node),"
            guard let node = evidence.nodes.first(where: { $0.name == listener.node }) else {
                return .invalid("\(who) listens at a node that is not a member any more")
            }
            if let failure = listening.failure { return .invalid("\(who) found that \(failure)") }
            guard listening.isComplete, let shown = listening.shown else {
                return .invalid("\(who) was told nothing")
            }
            let value = node.value[listening.path]
            if listening.told != value {
                let difference = TreeDifference(listening.told, value, at: listening.path)
                return .invalid("\(who) was told something else than it shows, at \(difference)")
            }
            if shown != value {
                let difference = TreeDifference(shown, value, at: listening.path)
                return .invalid("\(who) shows something else than the node, at \(difference)")
            }
        }
        let changes = evidence.listeners.reduce(0) { $0 + $1.listening.changeCount }
        if changes <= evidence.listeners.count { return .unknown("nothing changed") }
        return .valid("\(evidence.listeners.count) listeners, \(changes) changes")
    }
}
