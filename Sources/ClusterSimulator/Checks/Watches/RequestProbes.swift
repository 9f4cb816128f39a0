import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Sends requests to copies of replicas, whose effects are exactly known: nothing else happens to a copy.
struct RequestProbes: Watch {
    /// The mean number of turns with something to store from one copy to the next.
    private static let turnInterval = 16
    /// The number of requests that a copy receives, one after the other, most of them near the one before.
    private static let requests = 4

    var random: SplitMix64
    /// The number of executed requests.
    var count = 0
    /// The first wrong effect.
    var failure: String?

    init(_ scenario: Scenario, seed: UInt64) {
        random = SplitMix64(seed: seed, part: 11)
    }

    mutating func executedOutputs(
        of node: Int, storing batches: [LogEntry], in run: inout SimulatedRun
    ) {
        guard !batches.isEmpty, failure == nil,
            random.index(below: RequestProbes.turnInterval) == 0, run.nodes[node].isServing,
            !run.nodes[node].waitsForRoom, var replica = run.nodes[node].replica, !replica.isOut
        else { return }
        let moment = run.nodes[node].clock.moment(at: run.now)
        // The copy first executes everything that is due at this time anyway.
        _ = replica.execute([.turnBegan(moment), .turnEnded])
        probeStamps(of: node, replica, at: moment, in: &run)
        probeRepetition(of: node, replica, at: moment, in: &run)
        probeVerdicts(of: node, replica, at: moment, in: &run)
        if failure == nil { probeRequests(of: node, &replica, at: moment, in: &run) }
    }

    private mutating func probeRequests(
        of node: Int, _ replica: inout Replica, at moment: Moment, in run: inout SimulatedRun
    ) {
        var place: Path?
        // The known contents of the copy's tree.
        var database: NaiveDatabase?
        for _ in 0..<RequestProbes.requests {
            let old = replica.value
            let request = ProbedRequest(in: old, near: place, &random)
            place = request.place
            let answers = replica.answers(
                to: request.message, by: .administrator(name: nil), at: moment)
            // A node may have reasons to refuse a request, and some answers wait for the disk.
            guard let answer = answers.last, !answer.isRefusal else {
                database = nil
                continue
            }
            count += 1
            guard
                let problem = request.problem(
                    with: answer, from: old, to: replica.value, at: moment, beside: &database)
            else { continue }
            failure =
                "\(node.nodeName) at \(run.now.description), asked for \(request.message.summary), \(problem)"
            return
        }
    }
}

extension NodeMessage {
    fileprivate var isRefusal: Bool { if case .error = self { true } else { false } }
}
