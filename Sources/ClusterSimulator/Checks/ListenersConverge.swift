/// What each listener was told makes up what its node shows.
enum ListenersConverge {
    static func judge(_ evidence: Evidence) -> Finding {
        if evidence.listeners.isEmpty { return .unknown("nobody listened") }
        for listener in evidence.listeners {
            let listening = listener.listening
            let who = "\(listener.name), which listens at \(listening.path) of \(listener.node),"
            guard let node = evidence.nodes.first(where: { $0.name == listener.node }) else {
                return .invalid("\(who) listens at a node that is no member any more")
            }
            if let failure = listening.failure { return .invalid("\(who) found that \(failure)") }
            guard listening.isComplete else { return .invalid("\(who) was told nothing") }
            if listening.value != node.value[listening.path] {
                return .invalid(
                    "\(who) has \(listening.value) where the node shows "
                        + "\(node.value[listening.path])")
            }
        }
        let changes = evidence.listeners.reduce(0) { $0 + $1.listening.changeCount }
        if changes <= evidence.listeners.count { return .unknown("nothing changed") }
        return .valid("\(evidence.listeners.count) listeners, \(changes) changes")
    }
}
