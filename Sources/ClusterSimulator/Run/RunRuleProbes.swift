import DataTree
import ReplicaCore
import Rules
import SyncProtocol

// Requests of users under other rules and on other data, to copies of replicas.

extension SimulatedRun {
    /// How many documents of rules a copy gets, and how many requests by each of them.
    private static let documents = 3
    private static let requests = 12
    /// How many documents with a fault it gets.
    private static let faultyDocuments = 4

    mutating func probeRules(of node: Int) {
        guard access != nil, nodes[node].isServing, !nodes[node].waitsForRoom,
            let replica = nodes[node].replica, !replica.isOut
        else { return }
        let moment = nodes[node].clock.moment(at: now)
        for _ in 0..<SimulatedRun.documents {
            let probe = ProbedRules(&draws.rules)
            var copy = replica
            guard copy.does(.put(id: 1, path: ProbedRules.place, value: probe.data), at: moment),
                copy.does(.setRules(id: 1, source: probe.source), at: moment)
            else { continue }
            for _ in 0..<SimulatedRun.requests { ask(copy, probe, of: node, at: moment) }
        }
        for _ in 0..<SimulatedRun.faultyDocuments { refuse(replica, at: moment, of: node) }
    }

    /// No node takes rules with a fault, and each says which one it is.
    private mutating func refuse(_ replica: Replica, at moment: Moment, of node: Int) {
        let (document, problem) = ProbedRules.drawFaulty(&draws.rules)
        var copy = replica
        let request = ClientMessage.setRules(id: 1, source: document)
        guard let answer = copy.answers(to: request, by: .administrator, at: moment).last else {
            return
        }
        if case .error(_, _, let found, _) = answer, found.contains(problem) { return }
        access?.watches[node].note(
            .writesAreAllowed, Replica.probing,
            "of rules with the fault \"\(problem)\" it says \(answer): \(document)"
        )
    }

    private mutating func ask(
        _ replica: Replica, _ probe: ProbedRules, of node: Int, at moment: Moment
    ) {
        let user = ProbedRules.user(&draws.rules)
        let message = ProbedRules.request(&draws.rules)
        let expected = probe.allows(
            message.request, to: user, in: replica.value, at: moment.wallMilliseconds)
        var copy = replica
        guard let found = copy.permits(message, by: .user(user), at: moment), found != expected
        else { return }
        let isRead = message.request.kind == .read
        access?.watches[node].note(
            found ? (isRead ? .readsAreAllowed : .writesAreAllowed) : .allowedIsAccepted,
            Replica.probing,
            "\(user) \(found ? "could" : "could not") do \(message.summary) by \(probe.source), at \(probe.data)"
        )
    }
}

extension Replica {
    /// Does something for an administrator; false if it refuses.
    fileprivate mutating func does(_ message: ClientMessage, at moment: Moment) -> Bool {
        guard let answer = answers(to: message, by: .administrator, at: moment).last else {
            return false
        }
        if case .error = answer { return false }
        return true
    }
}

extension ProbedRules {
    /// The verdict of the rules on a request, by their definition.
    fileprivate func allows(
        _ request: ClientRequest, to user: Claim, in tree: Value, at milliseconds: UInt64
    ) -> Bool {
        switch request {
        case .get(let get):
            rules.mayRead(get.path, get.query, by: user, at: milliseconds, in: tree)
        case .put(let put):
            rules.mayWrite(
                [Write(path: put.path, value: put.value)], by: user, at: milliseconds, in: tree)
        case .merge(let merge):
            rules.mayWrite(
                merge.writes.map { Write(path: merge.path.appending($0.path), value: $0.value) },
                by: user, at: milliseconds, in: tree)
        default: preconditionFailure("\(request) is not drawn")
        }
    }
}
