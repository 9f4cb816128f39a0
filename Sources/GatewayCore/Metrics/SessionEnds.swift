/// Counts why sessions of Firebase's protocol end, and makes a line of it for the log, at most once a second.
struct SessionEnds {
    private static let pauseMilliseconds: UInt64 = 1_000

    private var counts: [SessionEnd.Reason: UInt64] = [:]
    /// The ends since the last line, and the first problem of each reason.
    private var unreported: [SessionEnd.Reason: (count: Int, problem: String)] = [:]
    private var nextMilliseconds: UInt64 = 0

    /// How many sessions have ended for a reason.
    subscript(reason: SessionEnd.Reason) -> UInt64 { counts[reason] ?? 0 }

    mutating func count(_ end: SessionEnd) {
        counts[end.reason, default: 0] += 1
        guard end.reason.isLogged else { return }
        unreported[end.reason, default: (0, end.problem)].count += 1
    }

    /// Removes and returns the line about the ends since the last one; nil without any, and before a second has passed.
    mutating func removeReport(at milliseconds: UInt64) -> String? {
        guard !unreported.isEmpty, milliseconds >= nextMilliseconds else { return nil }
        nextMilliseconds = milliseconds + SessionEnds.pauseMilliseconds
        defer { unreported = [:] }
        let parts = SessionEnd.Reason.allCases.compactMap { reason in
            unreported[reason].map { "\($0.count) \(reason.rawValue) (\($0.problem))" }
        }
        return "ended sessions of Firebase's clients: " + parts.joined(separator: ", ")
    }
}
