internal import ClusterConfiguration
internal import EventLoop
internal import Storage
internal import ZeroMQ

// What parts of a node throw, as what the node throws.

extension NodeError {
    init(_ error: StorageError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: ZeroMQError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: EventLoopError) { self.init(problem: error.problem, fix: error.fix) }
}
