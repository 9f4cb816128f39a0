internal import ClusterConfiguration
internal import EventLoop
internal import Glibc

/// Writes a node's log: a line for each event, `YYYY-MM-DD HH:MM:SS.mmm n1 text`, on standard error.
struct NodeLog {
    let member: String

    func write(_ text: String) {
        let time = LogTime.text(of: Loop.wallClockMilliseconds)
        let line = Array("\(time) \(member) \(text)\n".utf8)
        // One call, so that lines of several nodes on one terminal do not mix; a log that cannot be
        // written is no reason to stop.
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
