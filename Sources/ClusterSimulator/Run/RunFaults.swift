import ReplicaCore
import SyncProtocol

// The actions of the script.

extension SimulatedRun {
    /// A client that sends a request and does not wait for the answer.
    static let operatorSession = SessionID(number: .max)

    mutating func execute(_ action: Scenario.Scripted.Action) {
        switch action {
        case .fault(let fault): fault.apply(to: &self)
        case .request(let client, let request): add(request, to: client)
        case .expectation(let expectation): read(expectation)
        }
    }

    mutating func evict(_ node: Int, by other: Int) {
        record.refusals.append(Refusal(node: node, reason: Refusal.evicted, since: now))
        // The id tells the outcome of the request.
        let id = UInt64(record.refusals.count)
        let request = ClientMessage.evict(id: id, member: nodes[node].name)
        ask(request, of: other)
    }

    /// Has the operator ask a node for something.
    mutating func ask(_ request: ClientMessage, of node: Int) {
        let session = SimulatedRun.operatorSession
        if access != nil { give(.identified(session, .administrator(name: nil)), to: node) }
        give(.requested(request.frame, by: session), to: node)
    }

    mutating func flap(_ from: Int, _ to: Int, round: Int) {
        guard round == network.round else { return }
        let next = network.flap(from: from, to: to, at: now)
        queue.schedule(.flapped(from: from, to: to, round: round), at: next)
    }
}
