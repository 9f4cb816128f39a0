import Convergence
import DataTree
import ReplicaCore
import SyncProtocol

extension Check {
    package static let replicasEqual: Check = Check(
        "replicas-equal", judges: .nodes, guarantees: "C1",
        traits: [.atEnd],
        claim: "at the end all nodes hold and show the same",
        criterion: """
            all replicas are byte-equal, hold the same operations, and equal the sequential \
            execution of these (above 2,000 operations in one part of the tree: the convergent \
            tree in stamp order)
            """,
        evaluate: ReplicasEqual.evaluate)
}

/// All replicas hold the same operations, show the same bytes, and show what the operations give.
enum ReplicasEqual {
    /// Beyond this many operations in one part of the tree, the naive execution takes too long.
    static let oracleLimit = 2_000

    static func evaluate(_ evidence: Evidence) -> Finding {
        if let down = evidence.nodes.first(where: { $0.vector == nil }) {
            return .invalid("\(down.name) is not up")
        }
        let first = evidence.nodes[0]
        if first.operations.isEmpty { return .unknown("there was no operation") }
        let bytes = encoded(first.value)
        for node in evidence.nodes.dropFirst() {
            if let difference = difference(first, node, bytes) { return .invalid(difference) }
        }
        let parts = OraclePart.parts(of: first.operations)
        for part in parts {
            let expected = part.value(naiveLimit: oracleLimit)
            let difference = TreeDifference(first.value[part.path], expected, at: part.path)
            if difference.isEmpty { continue }
            return .invalid("all replicas differ from the oracle, at \(difference)")
        }
        let isNaive = parts.allSatisfy { $0.operations.count <= oracleLimit }
        return .valid(
            "\(evidence.nodes.count) replicas, \(first.operations.count) operations, "
                + "\(bytes.count) bytes; compared with the naive execution"
                + (isNaive ? "" : ", and with execution in stamp order above \(oracleLimit)"))
    }

    private static func difference(
        _ first: Evidence.Node, _ node: Evidence.Node, _ bytes: [UInt8]
    ) -> String? {
        if encoded(node.value) != bytes {
            return "\(first.name) and \(node.name) differ, at "
                + "\(TreeDifference(first.value, node.value))"
        }
        if node.vector != first.vector {
            return "\(first.name) and \(node.name) show the same and hold different operations"
        }
        return nil
    }

    private static func encoded(_ value: Value) -> [UInt8] {
        var writer = MessagePackWriter()
        writer.append(value)
        return writer.bytes
    }
}

/// The operations that concern one child of the root alone, so that they can be executed alone.
struct OraclePart {
    /// The child; the root if some operation concerns more than one.
    var path: Path
    /// In stamp order.
    var operations: [Operation]

    static func parts(of operations: [Operation]) -> [OraclePart] {
        var parts = SortedMap<OraclePart>()
        for operation in operations {
            guard let key = operation.writes.first?.path.keys.first, key != .priority,
                operation.writes.allSatisfy({ $0.path.keys.first == key })
            else { return [OraclePart(path: .root, operations: operations)] }
            parts.mutate(key) { part in
                var changed = part.take() ?? OraclePart(path: Path([key]), operations: [])
                changed.operations.append(operation)
                part = changed
            }
        }
        return Array(parts.values)
    }

    /// The expected value of this part of the tree: by the naive execution, or beyond a number of operations by the
    /// convergent tree in stamp order.
    func value(naiveLimit: Int) -> Value {
        if operations.count <= naiveLimit {
            return SequentialExecution.value(after: operations)[path]
        }
        var tree = ConvergentTree()
        for operation in operations { _ = tree.apply(operation) }
        return tree.value[path]
    }
}
