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

    /// The progress of work that ends after a time, however much is done by then.
    package init(during time: Duration, _ unit: String) {
        start = clock.now
        shown = start
        line = ProgressLine(seconds: time / .seconds(1), unit)
    }

    /// Removes the line, so that other text can be written in its place.
    package func clear() {
        if terminal.isInteractive { terminal.write("\r\u{1B}[K") }
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
    private let end: End

    private enum End {
        case unknown
        case amount(Int)
        case seconds(Double)
    }

    /// - Parameter total: The total amount, if known.
    package init(of total: Int?, _ unit: String) {
        self.unit = unit
        end = total.map { $0 > 0 ? .amount($0) : .unknown } ?? .unknown
    }

    /// Progress of work that ends after a number of seconds.
    package init(seconds: Double, _ unit: String) {
        self.unit = unit
        end = .seconds(seconds)
    }

    package func text(_ count: Int, after seconds: Double) -> String {
        let rate = seconds > 0 ? Double(count) / seconds : 0
        switch end {
        case .unknown: return "\(amount(count)), \(speed(rate))"
        case .amount(let total):
            let parts = ["\(bar(count, total)) \(number(count)) of \(amount(total))", speed(rate)]
            let rest = total - count
            let left = rest > 0 && rate > 0 ? timeLeft(Double(rest) / rate) : []
            return (parts + left).joined(separator: ", ")
        case .seconds(let total):
            let parts = ["\(bar(Int(seconds), Int(total))) \(amount(count))", speed(rate)]
            return (parts + timeLeft(max(0, total - seconds))).joined(separator: ", ")
        }
    }

    private func bar(_ done: Int, _ total: Int) -> String {
        let filled = min(30, done * 30 / max(1, total))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
    }

    private func timeLeft(_ left: Double) -> [String] {
        let seconds = left.rounded(.up)
        guard seconds > 0, seconds < 360_000 else { return [] }
        return [seconds < 120 ? "\(Int(seconds)) s left" : "\(Int(seconds / 60)) min left"]
    }

    private func speed(_ rate: Double) -> String {
        if unit == ProgressLine.bytes { return "\(megabytes(Int(rate))) MB/s" }
        let isSlow = rate < 10 && Int(rate * 10) % 10 > 0
        return isSlow ? "\(tenths(rate))/s" : "\(Int(rate))/s"
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
