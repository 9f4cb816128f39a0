import ReplicaCore
import SyncProtocol

// Duplicate nodes receive what peers publish and send the requests of a node; of the answers, some
// reach them and some the node whose name they have.

extension SimulatedRun {
    mutating func startDuplicate(of node: Int) {
        guard liveDuplicate(of: node) == nil else { return }
        record.duplicateNodes.append(
            DuplicateNode(node: node, started: now, replica: nodes[node].duplicateNode()))
        record.statistics.duplicateNodes += 1
        schedule(
            .duplicateTurns(record.duplicateNodes.count - 1),
            after: random.time(in: scenario.cluster.start))
    }

    func liveDuplicate(of node: Int) -> Int? {
        record.duplicateNodes.lastIndex { $0.node == node && $0.ended == nil }
    }

    mutating func turnDuplicate(_ duplicateNode: Int) {
        guard record.duplicateNodes[duplicateNode].ended == nil else { return }
        let moment = nodes[record.duplicateNodes[duplicateNode].node].clock.moment(at: now)
        var outputs = record.duplicateNodes[duplicateNode].replica.step(.turnBegan(moment))
        for input in record.duplicateNodes[duplicateNode].waiting {
            outputs += record.duplicateNodes[duplicateNode].replica.step(input)
        }
        record.duplicateNodes[duplicateNode].waiting.removeAll()
        outputs += record.duplicateNodes[duplicateNode].replica.step(.turnEnded)
        execute(outputs, ofDuplicate: duplicateNode)
        schedule(.duplicateTurns(duplicateNode), after: .milliseconds(50))
    }

    /// No peer subscribes to a duplicate node or sends it requests.
    private mutating func execute(_ outputs: [Output], ofDuplicate duplicateNode: Int) {
        for output in outputs {
            trace.combine(output, of: nodes.count + duplicateNode)
            switch output {
            case .store(let turn):
                execute(
                    record.duplicateNodes[duplicateNode].replica.step(.stored(turn: turn.number)),
                    ofDuplicate: duplicateNode)
            case .ask(let member, let frame):
                ask(member, frame, from: record.duplicateNodes[duplicateNode].node)
            case .giveUp: record.duplicateNodes[duplicateNode].ended = now
            default: break
            }
        }
    }
}
