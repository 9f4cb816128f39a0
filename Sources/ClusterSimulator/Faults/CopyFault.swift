import ReplicaCore
import SyncProtocol

/// An operator asks a node for a copy of its database.
struct CopyDatabase: NodeFault {
    static let name = "copy"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.requestCopy(of: node) }

    static let drawn = [
        DrawnFault.node(name) { node, _ in
            let copy = CopyDatabase(node: node)
            var course = DrawnFault.Course(copy, until: copy)
            course.sequel = copy
            return course
        }
    ]
}
