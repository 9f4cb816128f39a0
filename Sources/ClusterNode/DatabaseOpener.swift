internal import ClusterConfiguration
internal import Dispatch
internal import NodeStorage
internal import Threads

/// Reads databases beside the loop, which serves the others meanwhile: reading a million records takes seconds.
struct DatabaseOpener {
    /// Databases with larger files are read in a line of their own, so that small ones do not wait behind them.
    private static let smallBytes = 4 << 20

    private let small = DispatchQueue(label: "hearth.opening")
    private let large = DispatchQueue(label: "hearth.opening.large")
    private let isClosed = Monitor(false)

    /// Reads a database after those that wait in its line, and hands its store to the storage thread.
    ///
    /// - Parameter bytes: The size of its file.
    /// - Parameter completion: Is called once on another thread, or not at all after `close()`.
    func open(
        _ recovery: Recovery, on thread: StorageThread, bytes: Int,
        completion: @escaping @Sendable (Result<Recovered, NodeError>) -> Void
    ) {
        (bytes > Self.smallBytes ? large : small).async { [isClosed] in
            if isClosed.withLock({ $0 }) { return }
            completion(
                Result { () throws(NodeError) in try recovery.recovered(on: thread) })
        }
    }

    /// Waits for the databases that are being read, and begins with no other one.
    func close() {
        isClosed.withLock { $0 = true }
        for line in [small, large] { line.sync {} }
    }
}
