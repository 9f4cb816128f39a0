internal import ClusterConfiguration
internal import EventLoop
internal import Storage
internal import ZeroMQ

// Converts the errors of a node's parts into the node's own.

extension NodeError {
    init(_ error: StorageError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: ZeroMQError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: EventLoopError) { self.init(problem: error.problem, fix: error.fix) }
}
