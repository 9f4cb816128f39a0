internal import CommandLineKit
package import Glibc

/// A process that runs a node, distinguished from a later process with the same number.
package struct NodeProcess: Equatable, Sendable {
    package let pid: pid_t
    /// When it started, in the system's clock ticks since boot.
    let startTicks: UInt64

    package init(pid: pid_t, startTicks: UInt64) {
        self.pid = pid
        self.startTicks = startTicks
    }

    /// A process that exists now; nil if there is none of that number.
    package init?(pid: pid_t) {
        guard let entry = ProcessEntry(of: pid) else { return nil }
        self.init(pid: pid, startTicks: entry.startTicks)
    }

    /// The process that a file names by its number and when it started; nil unless it runs.
    package init?(named text: [UInt8]?) {
        let numbers = String(decoding: text ?? [], as: UTF8.self).split { $0.isWhitespace }
        guard numbers.count == 2, let pid = pid_t(numbers[0]), let ticks = UInt64(numbers[1])
        else { return nil }
        self.init(pid: pid, startTicks: ticks)
        if !isRunning { return nil }
    }

    package var isRunning: Bool { entry != nil }

    var isPaused: Bool { entry?.state == UInt8(ascii: "T") }

    /// How long ago it started, in seconds; nil if it is gone.
    var ageSeconds: Double? {
        guard isRunning, let uptime = readFile("/proc/uptime") else { return nil }
        let seconds = Double(String(decoding: uptime.prefix { $0 != 0x20 }, as: UTF8.self))
        return seconds.map { $0 - Double(startTicks) / Double(sysconf(Int32(_SC_CLK_TCK))) }
    }

    /// Sends a signal; false if the process is gone.
    @discardableResult
    package func send(_ signal: Int32) -> Bool {
        isRunning && kill(pid, signal) == 0
    }

    /// Waits until the process is gone; false if it still is there after `limit`.
    func waitUntilGone(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while isRunning {
            // Children of this process stay in the table until it waits for them.
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid { return true }
            if ContinuousClock.now >= deadline { return false }
            usleep(10_000)
        }
        return true
    }

    /// Its entry in the system's table; nil once it is gone, even if its number is used again.
    private var entry: ProcessEntry? {
        guard let entry = ProcessEntry(of: pid), entry.startTicks == startTicks,
            entry.isAlive
        else { return nil }
        return entry
    }
}

/// A process in the system's table.
private struct ProcessEntry {
    /// One letter: `R` running, `S` sleeping, `T` stopped, `Z` ended and not yet asked for, …
    let state: UInt8
    let threadCount: Int
    let startTicks: UInt64

    init?(of pid: pid_t) {
        guard let line = readFile("/proc/\(pid)/stat"),
            // The name of the program is in parentheses and may contain any character.
            let end = line.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let state = fields[0].first,
            let threads = Int(String(decoding: fields[17], as: UTF8.self)),
            let ticks = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.state = state
        threadCount = threads
        startTicks = ticks
    }

    /// The state is that of the first thread. When that has ended and others have not, they still hold
    /// the process's ports.
    var isAlive: Bool {
        state != UInt8(ascii: "X") && (state != UInt8(ascii: "Z") || threadCount > 1)
    }
}
