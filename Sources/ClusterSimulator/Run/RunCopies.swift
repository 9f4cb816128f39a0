import ReplicaCore
import SyncProtocol

// Copies of databases, which an operator requests.

extension SimulatedRun {
    /// Requests of copies have ids from here on, all others below.
    private static let firstCopy: UInt64 = 1 << 32
    private static let copyNames = 3

    mutating func requestCopy(of node: Int) {
        guard nodes[node].isServing else { return }
        record.copies.append(
            CopyRequest(node: node, incarnation: nodes[node].incarnation, asked: now))
        let id = SimulatedRun.firstCopy + UInt64(record.copies.count - 1)
        let name = "copy-\(1 + random.index(below: SimulatedRun.copyNames))"
        ask(.backup(id: id, name: name), of: node)
    }

    /// Takes an answer to the operator, if it is that to a request of a copy. One may be refused because of another one, but
    /// only while that is being written.
    mutating func noteCopy(_ message: NodeMessage) -> Bool {
        guard let id = message.answeredID, id >= SimulatedRun.firstCopy else { return false }
        let index = Int(id - SimulatedRun.firstCopy)
        record.copies[index].answered = now
        let name = nodes[record.copies[index].node].name
        guard case .error(_, _, let problem, _) = message,
            problem == BackupFailure.problemOfSecondBackup(at: name), !isCopying(beside: index)
        else { return true }
        quiescence.fail("\(name) writes no copy, and refuses one: \(problem)")
        return true
    }

    /// Whether another request of the same process was open at some time between a request and its answer.
    private func isCopying(beside index: Int) -> Bool {
        let own = record.copies[index]
        return record.copies.indices.contains { other in
            other != index && record.copies[other].node == own.node
                && record.copies[other].incarnation == own.incarnation
                && record.copies[other].asked <= now
                && record.copies[other].answered ?? now >= own.asked
        }
    }
}
