/// Shows on a terminal how far long work has come, on one line that is written over.
struct Progress {
    private let terminal = Terminal.standardError
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant
    private let unit: String
    /// How much there is to do, if that is known.
    private let total: Int?

    init(of total: Int?, _ unit: String) {
        start = clock.now
        shown = start
        self.unit = unit
        self.total = total
    }

    /// Shows the count, ten times a second at most.
    mutating func show(_ count: Int) {
        guard terminal.isInteractive, clock.now - shown > .milliseconds(100) else { return }
        shown = clock.now
        terminal.write("\r" + line(count) + "\u{1B}[K")
    }

    /// Shows the final count and leaves the line.
    func finish(_ count: Int) {
        guard terminal.isInteractive else { return }
        terminal.write("\r" + line(count) + "\u{1B}[K\n")
    }

    private func line(_ count: Int) -> String {
        let seconds = (clock.now - start) / .seconds(1)
        let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
        guard let total, total > 0 else { return "\(count) \(unit), \(rate)/s" }
        let filled = min(30, count * 30 / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        return "\(bar) \(count) of \(total) \(unit), \(rate)/s"
    }
}
