internal import ClusterConfiguration
internal import Storage

extension NodeError {
    init(_ error: StorageError) { self.init(problem: error.problem, fix: error.fix) }
}
