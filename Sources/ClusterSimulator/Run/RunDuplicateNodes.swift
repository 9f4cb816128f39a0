import ReplicaCore
import SyncProtocol

// Duplicate nodes receive what peers publish and send the requests of a node; of the answers, some
// reach them and some the node whose name they have.

extension SimulatedRun {
    mutating func startDuplicate(of node: Int) {
        guard liveDuplicate(of: node) == nil else { return }
        duplicateNodes.append(
            DuplicateNode(node: node, started: now, replica: nodes[node].duplicateNode()))
        statistics.duplicateNodes += 1
        schedule(
            .duplicateTurns(duplicateNodes.count - 1),
            after: random.time(in: scenario.cluster.start))
    }

    func liveDuplicate(of node: Int) -> Int? {
        duplicateNodes.lastIndex { $0.node == node && $0.ended == nil }
    }

    mutating func turnDuplicate(_ duplicateNode: Int) {
        guard duplicateNodes[duplicateNode].ended == nil else { return }
        let moment = nodes[duplicateNodes[duplicateNode].node].clock.moment(at: now)
        var outputs = duplicateNodes[duplicateNode].replica.step(.turnBegan(moment))
        for input in duplicateNodes[duplicateNode].waiting {
            outputs += duplicateNodes[duplicateNode].replica.step(input)
        }
        duplicateNodes[duplicateNode].waiting.removeAll()
        outputs += duplicateNodes[duplicateNode].replica.step(.turnEnded)
        perform(outputs, ofDuplicate: duplicateNode)
        schedule(.duplicateTurns(duplicateNode), after: .milliseconds(50))
    }

    /// No peer subscribes to a duplicate node or sends it requests.
    private mutating func perform(_ outputs: [Output], ofDuplicate duplicateNode: Int) {
        for output in outputs {
            trace.combine(output, of: nodes.count + duplicateNode)
            switch output {
            case .store(let turn):
                perform(
                    duplicateNodes[duplicateNode].replica.step(.stored(turn: turn.number)),
                    ofDuplicate: duplicateNode)
            case .ask(let member, let frame):
                ask(member, frame, from: duplicateNodes[duplicateNode].node)
            case .giveUp: duplicateNodes[duplicateNode].ended = now
            default: break
            }
        }
    }
}
