internal import Glibc

/// How a process that this one started has ended.
package enum ProcessEnd: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// Unknown: only the process that started it can learn that.
    case unknown

    /// How a process has ended that is gone from the system's table.
    package init(of process: NodeProcess) {
        var status: Int32 = 0
        guard waitpid(process.pid, &status, WNOHANG) == process.pid else {
            self = .unknown
            return
        }
        // The macros of wait(2): the low 7 bits are the signal, the byte above is the exit code.
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
    }

    /// As in `n2 was killed by signal 9 (Killed)`.
    package var text: String {
        switch self {
        case .exited(let code): "ended with exit code \(code)"
        case .killed(let signal):
            "was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
        case .unknown: "ended"
        }
    }
}

/// Detects which nodes of a cluster have ended since the last call, and which run again.
package struct NodeWatch {
    package enum News: Equatable {
        /// Without a process if that was another one than those that were looked at.
        case ended(id: String, pid: Int32?, ProcessEnd)
        case runs(id: String, pid: Int32)
    }

    private var cluster: Cluster
    /// The processes that ran at the last call.
    private var running: [String: NodeProcess]

    /// - Parameter cluster: The cluster, whose nodes run now.
    package init(of cluster: Cluster) {
        self.cluster = cluster
        running = [:]
        for node in cluster.file.nodes { running[node.id] = cluster.recordedProcess(of: node) }
    }

    package var isAnyRunning: Bool { !running.isEmpty }

    /// Goes on with another list of nodes, for which all were restarted; returns those that ran before and do
    /// not now.
    package mutating func follow(_ changed: Cluster) -> [News] {
        let before = running
        self = NodeWatch(of: changed)
        let ended = changed.file.nodes.filter { before[$0.id] != nil && running[$0.id] == nil }
        return ended.map { .ended(id: $0.id, pid: nil, .unknown) }
    }

    package mutating func news() -> [News] {
        var news: [News] = []
        for node in cluster.file.nodes {
            if let process = running[node.id], !process.isRunning {
                running[node.id] = nil
                news.append(.ended(id: node.id, pid: process.pid, ProcessEnd(of: process)))
            }
            if running[node.id] == nil, let process = cluster.recordedProcess(of: node) {
                running[node.id] = process
                news.append(.runs(id: node.id, pid: process.pid))
            }
        }
        return news
    }
}
