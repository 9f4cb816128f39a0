internal import CommandLineKit
internal import Glibc

/// The resources that a running process has used.
package struct ProcessUsage {
    /// Time on a processor, in user and system mode.
    var cpuSeconds = 0.0
    /// The most memory that it ever held at once.
    package var peakMegabytes = 0.0
    /// The memory that it holds.
    var residentMegabytes = 0.0

    init() {}

    /// Reads the counts of a process; zeros if it is gone.
    package init(of process: Int32) {
        // In nanoseconds; /proc counts in hundredths of a second, in which a short work is nothing.
        var (clock, time) = (clockid_t(), timespec())
        if clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 {
            cpuSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        if let status = readFile("/proc/\(process)/status") {
            peakMegabytes = Self.megabytes("VmHWM:", in: status)
            residentMegabytes = Self.megabytes("VmRSS:", in: status)
        }
    }

    private static func megabytes(_ name: String, in status: [UInt8]) -> Double {
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst()
            .first
        return (kilobytes.flatMap { Double($0) } ?? 0) / 1024
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
