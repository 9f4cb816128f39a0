internal import EventLoop
internal import Glibc

/// Writes a node's log: a line for each event, `HH:MM:SS.mmm n1 text`, on standard error.
struct NodeLog {
    let member: String

    func write(_ text: String) {
        let line = Array("\(timeOfDay) \(member) \(text)\n".utf8)
        // One call, so that lines of several nodes on one terminal do not mix; a log that cannot be
        // written is no reason to stop.
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private var timeOfDay: String {
        let milliseconds = Loop.wallClockMilliseconds
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), to: 2) }
        return clock.joined(separator: ":") + "." + padded(Int(milliseconds % 1000), to: 3)
    }

    private func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
