import DataTree
import ReplicaCore
import SyncProtocol

/// An update is one operation, and every read shows whole operations.
enum UpdatesAreAtomic {
    static func judge(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.isSmall else {
            return .unknown("reads are compared in runs of up to 300 operations")
        }
        var operations: [Dot: Recording.Issued] = [:]
        for issued in evidence.recording.issued { operations[issued.dot] = issued }
        let ordered = evidence.recording.issued.sorted {
            $0.operation.stamp < $1.operation.stamp
        }
        var reads = 0
        var updates = 0
        for operation in evidence.history.operations {
            guard let serving = operation.acknowledged else { continue }
            if let answer = operation.answer, case .get(let path) = operation.kind {
                reads += 1
                let shown = ordered.filter { serving.vector.covers($0.dot) }
                var tree = ConvergentTree()
                for issued in shown { _ = tree.apply(issued.operation) }
                guard tree.value[path] != answer else { continue }
                return .invalid(
                    "a read found \(answer), where \(shown.count) whole operations give "
                        + "\(tree.value[path])", operation.line)
            }
            guard let print = operation.fingerprint, let dot = serving.dot,
                let issued = operations[dot]
            else { continue }
            updates += 1
            guard Fingerprint(of: issued.operation.writes) != print else { continue }
            return .invalid(
                "a write was not done as the one operation that was asked for", operation.line,
                issued.line)
        }
        return .valid(reads, "reads, and \(updates) writes as one operation each")
    }
}
