/// A rate that is limited: it permits so much in a second, and at once no more than that.
///
/// Something larger is permitted too, and paid afterwards: nothing else is permitted until then.
struct TokenBucket: Sendable {
    /// The amount that it permits in a second.
    let rate: Int
    /// The thousandths of a unit that it permits at once; negative while something large is being paid.
    private var thousandths: Int
    private var milliseconds: UInt64

    /// A full bucket.
    init(rate: Int, at milliseconds: UInt64) {
        self.rate = rate
        thousandths = rate * 1_000
        self.milliseconds = milliseconds
    }

    /// Whether something is permitted at this time.
    mutating func permits(at now: UInt64) -> Bool {
        refill(at: now)
        return thousandths >= 1_000
    }

    /// Spends something that is permitted.
    mutating func spend(_ amount: Int) { thousandths -= amount * 1_000 }

    /// In how many seconds something is permitted again, rounded up.
    var secondsUntilPermitted: Int {
        let full = rate * 1_000
        return max(0, 1_000 - thousandths + full - 1) / full
    }

    private mutating func refill(at now: UInt64) {
        guard now > milliseconds else { return }
        let passed = Int(clamping: now - milliseconds)
        milliseconds = now
        let full = rate * 1_000
        let (added, overflows) = passed.multipliedReportingOverflow(by: rate)
        thousandths = overflows || added > full - thousandths ? full : thousandths + added
    }
}
