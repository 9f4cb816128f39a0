internal import CommandLineKit
internal import Glibc

/// The resources that a running process has used.
struct ProcessUsage {
    /// Time on a processor, in user and system mode.
    var cpuSeconds = 0.0
    /// The most memory that it ever held at once.
    var peakMegabytes = 0.0

    init() {}

    /// Reads the counts of a process; zeros if it is gone.
    init(of process: Int32) {
        if let stat = readFile("/proc/\(process)/stat") {
            // The name in parentheses may hold anything; the fields after it are numbers.
            let text = String(decoding: stat, as: UTF8.self)
            let fields = text.drop { $0 != ")" }.split(separator: " ")
            if fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) {
                cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
            }
        }
        if let status = readFile("/proc/\(process)/status") {
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("VmHWM:") }
            let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst()
                .first
            peakMegabytes = (kilobytes.flatMap { Double($0) } ?? 0) / 1024
        }
    }

    /// The usage of several processes together: the time of all, the memory of the largest.
    static func total(of processes: [Int32]) -> ProcessUsage {
        var total = ProcessUsage()
        for usage in processes.map(ProcessUsage.init(of:)) {
            total.cpuSeconds += usage.cpuSeconds
            total.peakMegabytes = max(total.peakMegabytes, usage.peakMegabytes)
        }
        return total
    }
}
