import DataTree
import ReplicaCore
import SyncProtocol

// Requests to copies of nodes' replicas, whose effects are exactly known there: nothing else happens to a copy.

extension SimulatedRun {
    /// Asks copies of a node's replica for this and that, now and then.
    mutating func probeRequests(of node: Int) {
        guard scenario.checks.contains(.requestsDoWhatTheySay), probes.failure == nil,
            probes.random.index(below: RequestProbes.turnInterval) == 0,
            nodes[node].isServing, !nodes[node].waitsForRoom, var replica = nodes[node].replica,
            !replica.isOut
        else { return }
        let moment = nodes[node].clock.moment(at: now)
        // What is due at this time anyway is done before.
        _ = replica.perform([.turnBegan(moment), .turnEnded])
        probeStamps(of: node, replica, at: moment)
        probeRepetition(of: node, replica, at: moment)
        probeVerdicts(of: node, replica, at: moment)
        if probes.failure != nil { return }
        var place: Path?
        // What the copy's tree is known to be.
        var database: NaiveDatabase?
        for _ in 0..<RequestProbes.requests {
            let old = replica.value
            let request = ProbedRequest(in: old, near: place, &probes.random)
            place = request.place
            let answers = replica.answers(
                to: request.message, by: .administrator, at: moment)
            // A node may have reasons to refuse anything, and some answers wait for what is not durable yet.
            guard let answer = answers.last, !answer.isRefusal else {
                database = nil
                continue
            }
            probes.count += 1
            guard
                let problem = request.problem(
                    with: answer, from: old, to: replica.value, at: moment, beside: &database)
            else { continue }
            probes.failure =
                "\(nodes[node].name) at \(now.description), asked for \(request.message.summary), \(problem)"
            return
        }
    }
}

extension NodeMessage {
    fileprivate var isRefusal: Bool { if case .error = self { true } else { false } }
}
