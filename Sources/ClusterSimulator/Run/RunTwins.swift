import ReplicaCore
import SyncProtocol

/// A second process under the name of a node, at another endpoint and with a disk of its own: somebody
/// has started it by mistake. It should learn that, and end.
struct Twin {
    let node: Int
    let started: Microseconds
    var replica: Replica
    var waiting: [Input] = []
    /// When it gave up.
    var ended: Microseconds?
}

// Twins: they hear what the others publish, ask what nodes ask, and get answers by turns with the node
// whose name they have.

extension SimulatedRun {
    mutating func startTwin(of node: Int) {
        guard liveTwin(of: node) == nil else { return }
        twins.append(Twin(node: node, started: now, replica: nodes[node].twin()))
        statistics.twins += 1
        schedule(.twinTurns(twins.count - 1), after: random.time(in: scenario.cluster.start))
    }

    func liveTwin(of node: Int) -> Int? {
        twins.lastIndex { $0.node == node && $0.ended == nil }
    }

    mutating func turnTwin(_ twin: Int) {
        guard twins[twin].ended == nil else { return }
        let moment = nodes[twins[twin].node].clock.moment(at: now)
        var outputs = twins[twin].replica.step(.turnBegan(moment))
        for input in twins[twin].waiting { outputs += twins[twin].replica.step(input) }
        twins[twin].waiting.removeAll()
        outputs += twins[twin].replica.step(.turnEnded)
        perform(outputs, ofTwin: twin)
        schedule(.twinTurns(twin), after: .milliseconds(50))
    }

    /// Nobody reads what it publishes, and nobody asks it anything.
    private mutating func perform(_ outputs: [Output], ofTwin twin: Int) {
        for output in outputs {
            trace.combine(output, of: nodes.count + twin)
            switch output {
            case .store(let turn):
                perform(twins[twin].replica.step(.stored(turn: turn.number)), ofTwin: twin)
            case .ask(let member, let frame):
                ask(member, frame, from: twins[twin].node)
            case .giveUp: twins[twin].ended = now
            default: break
            }
        }
    }
}
