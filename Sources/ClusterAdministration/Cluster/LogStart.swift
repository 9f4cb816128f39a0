internal import ClusterConfiguration

/// The time from which a log is shown, as a user writes it.
package struct LogStart: Equatable, Sendable {
    /// As `LogTime` writes it, or the beginning of that.
    package let time: String

    private static let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    /// The time that a text means; nil for any other text.
    ///
    /// - Parameter now: In milliseconds since 1970.
    package init?(_ text: String, now: UInt64) {
        if let unit = text.last.flatMap({ LogStart.units[$0] }), let count = UInt64(text.dropLast())
        {
            let age = count.multipliedReportingOverflow(by: unit * 1000)
            time = LogTime.text(of: age.overflow ? 0 : now - min(now, age.partialValue))
            return
        }
        let today = LogTime.text(of: now).prefix { $0 != " " }
        let isOfToday = text.dropFirst(2).first == ":"
        let time = isOfToday ? "\(today) \(text)" : text
        // A whole date at least, and no part of a number.
        let lengths = [10, 16, 19, LogTime.length]
        guard lengths.contains(time.utf8.count), LogTime.isTime(time) else { return nil }
        self.time = time
    }
}
