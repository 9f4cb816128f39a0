/// Gathers the frames that a node publishes, so that a busy node wakes its peers once for several turns.
///
/// A frame leaves at once if none has left for `gapNanoseconds`: gathering delays only what comes soon after another
/// one, and each of those by at most the gap, as far as the loop's timers keep to it.
struct PublicationQueue {
    /// What two nodes spend on a few wake-ups. At 2,000 writes a second hardly any waits.
    static let gapNanoseconds: UInt64 = 250_000
    /// With so much, frames leave whenever the last ones have left.
    static let byteLimit = 64 << 10

    /// When the queue is to be emptied.
    enum Due: Equatable {
        case never
        case now
        case after(nanoseconds: UInt64)
    }

    private(set) var frames: [[UInt8]] = []
    private var byteCount = 0
    private var lastNanoseconds: UInt64 = 0

    mutating func append(_ frame: [UInt8]) {
        frames.append(frame)
        byteCount += frame.count
    }

    func due(atNanoseconds now: UInt64) -> Due {
        if frames.isEmpty { return .never }
        let passed = now - min(now, lastNanoseconds)
        if passed >= Self.gapNanoseconds || byteCount >= Self.byteLimit { return .now }
        return .after(nanoseconds: Self.gapNanoseconds - passed)
    }

    /// Removes and returns all frames, which leave now.
    mutating func removeAll(atNanoseconds now: UInt64) -> [[UInt8]] {
        defer {
            frames.removeAll()
            byteCount = 0
            lastNanoseconds = now
        }
        return frames
    }
}
