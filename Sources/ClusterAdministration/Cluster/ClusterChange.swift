package import CommandLineKit
internal import Glibc

/// A change of a cluster that is under way: a command stops and starts its nodes, for a new list of nodes or a restart.
///
/// It lasts as long as the process that makes it, whose number is in `DIR/change`.
package struct ClusterChange {
    private let path: String

    /// - Throws: when another process changes the cluster.
    package init(of cluster: Cluster) throws(CommandError) {
        path = ClusterChange.path(inFolder: cluster.folder)
        if let other = ClusterChange.process(inFolder: cluster.folder) {
            throw CommandError(
                .unavailable,
                "process \(other.pid) stops and starts the nodes of \(cluster.folder) at this moment",
                fix: "wait until it is done")
        }
        guard let own = NodeProcess(pid: getpid()) else {
            preconditionFailure("this process is not in the system's table")
        }
        try writeFile(path, Array("\(own.pid) \(own.startTicks)\n".utf8))
    }

    package func end() { unlink(path) }

    package static func isUnderway(inFolder folder: String) -> Bool {
        process(inFolder: folder) != nil
    }

    private static func process(inFolder folder: String) -> NodeProcess? {
        NodeProcess(named: readFile(path(inFolder: folder)))
    }

    private static func path(inFolder folder: String) -> String { folder + "/change" }
}
