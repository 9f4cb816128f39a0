/// Virtual time, and lengths of it: microseconds since the run began.
typealias Microseconds = UInt64

extension Microseconds {
    static func milliseconds(_ count: UInt64) -> Microseconds { count * 1_000 }
    static func seconds(_ count: UInt64) -> Microseconds { count * 1_000_000 }

    var inSeconds: Double { Double(self) / 1_000_000 }

    /// This time as in `1.250000 s`.
    var description: String {
        let fraction = String(self % 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
        return "\(self / 1_000_000).\(zeros)\(fraction) s"
    }
}

/// A range of lengths of time, from which one is drawn; both ends are included.
struct TimeRange: Equatable, Sendable {
    var shortest: Microseconds
    var longest: Microseconds

    init(_ shortest: Microseconds, _ longest: Microseconds) {
        self.shortest = shortest
        self.longest = longest
    }
}

/// A chance, in millionths.
struct Probability: Equatable, Sendable {
    var millionths: UInt64

    static let zero = Probability(millionths: 0)
}
