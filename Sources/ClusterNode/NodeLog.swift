internal import ClusterConfiguration
internal import EventLoop
internal import Glibc

/// Writes a node's log to standard error: a line for each event, `YYYY-MM-DD HH:MM:SS.mmm n1 text`.
struct NodeLog {
    let member: String

    func write(_ text: String) {
        let time = LogTime.text(of: Loop.wallClockMilliseconds)
        let line = Array("\(time) \(member) \(text)\n".utf8)
        // One call for each line, so that lines of several nodes on a terminal do not mix; a failure
        // to log does not stop the node.
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
