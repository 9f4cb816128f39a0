internal import ClusterConfiguration
internal import Storage
internal import ZeroMQ

extension NodeError {
    init(_ error: StorageError) { self.init(problem: error.problem, fix: error.fix) }
    init(_ error: ZeroMQError) { self.init(problem: error.problem, fix: error.fix) }
}
