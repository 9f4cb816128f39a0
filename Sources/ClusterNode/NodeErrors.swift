internal import ClusterConfiguration
internal import EventLoop
internal import Storage
internal import ZeroMQ

// Errors of a node's parts, as errors of the node.

extension NodeError {
    init(_ error: StorageError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: ZeroMQError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: EventLoopError) { self.init(problem: error.problem, fix: error.fix) }
}
