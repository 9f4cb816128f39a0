/// Shows the progress of long work on a terminal, on one line that is written over.
package struct Progress {
    private let terminal = Terminal.standardError
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant
    private let line: ProgressLine

    package init(of total: Int?, _ unit: String) {
        start = clock.now
        shown = start
        line = ProgressLine(of: total, unit)
    }

    /// Shows the count, ten times a second at most.
    package mutating func show(_ count: Int) {
        guard terminal.isInteractive, clock.now - shown > .milliseconds(100) else { return }
        shown = clock.now
        write(count, "")
    }

    /// Shows the final count and leaves the line.
    package func finish(_ count: Int) {
        guard terminal.isInteractive else { return }
        write(count, "\n")
    }

    private func write(_ count: Int, _ end: String) {
        let seconds = (clock.now - start) / .seconds(1)
        terminal.write("\r" + line.text(count, after: seconds) + "\u{1B}[K" + end)
    }
}

/// The progress of long work as text: the amount done of the total, the rate, and the time left.
package struct ProgressLine {
    /// As a unit, bytes are shown in MB.
    package static let bytes = "bytes"

    private let unit: String
    /// The total amount, if known.
    private let total: Int?

    package init(of total: Int?, _ unit: String) {
        self.unit = unit
        self.total = total
    }

    package func text(_ count: Int, after seconds: Double) -> String {
        let rate = seconds > 0 ? Double(count) / seconds : 0
        guard let total, total > 0 else { return "\(amount(count)), \(speed(rate))" }
        let filled = min(30, count * 30 / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        let parts = ["\(bar) \(number(count)) of \(amount(total))", speed(rate)]
        return (parts + timeLeft(total - count, rate)).joined(separator: ", ")
    }

    private func timeLeft(_ rest: Int, _ rate: Double) -> [String] {
        guard rest > 0, rate > 0 else { return [] }
        let seconds = (Double(rest) / rate).rounded(.up)
        guard seconds < 360_000 else { return [] }
        return [seconds < 120 ? "\(Int(seconds)) s left" : "\(Int(seconds / 60)) min left"]
    }

    private func speed(_ rate: Double) -> String {
        unit == ProgressLine.bytes ? "\(megabytes(Int(rate))) MB/s" : "\(Int(rate))/s"
    }

    private func amount(_ count: Int) -> String {
        number(count) + (unit == ProgressLine.bytes ? " MB" : " " + unit)
    }

    private func number(_ count: Int) -> String {
        unit == ProgressLine.bytes ? megabytes(count) : "\(count)"
    }
}

/// A number of bytes in millions, with one digit behind the point.
package func megabytes(_ bytes: Int) -> String {
    tenths(Double(bytes) / 1_000_000)
}

/// A number of zero or more with one digit behind the point.
package func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
