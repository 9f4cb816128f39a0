import ReplicaCore

/// A second process under the name of a node, at another endpoint and with a disk of its own, started
/// by mistake. Peers should refuse it, and it should end.
struct DuplicateNode {
    let node: Int
    let started: Microseconds
    var replica: Replica
    var waiting: [Input] = []
    /// When it gave up.
    var ended: Microseconds?
}
