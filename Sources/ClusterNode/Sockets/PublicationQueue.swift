internal import ReplicaCore

/// Gathers the frames that a node publishes, so that a busy node wakes its peers once for several turns.
///
/// A frame leaves at once if none has left for a gap: gathering delays only what comes soon after another one, and each
/// of those by at most the gap, as far as the loop's timers keep to it. A node that publishes often, and so wakes its
/// peers often, takes a longer gap for what nobody waits for.
struct PublicationQueue {
    /// What two nodes spend on a few wake-ups. At 2,000 writes a second hardly any waits.
    static let gapNanoseconds: UInt64 = 250_000
    static let busyGapNanoseconds: UInt64 = 1_000_000
    /// A node is busy from 3,500 frames a second on, counted in windows of so long.
    static let windowNanoseconds: UInt64 = 10_000_000
    static let busyFrames = 35
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
    private var isAwaited = false
    private var lastNanoseconds: UInt64 = 0
    private var windowStart: UInt64 = 0
    private var framesInWindow = 0
    private var isBusy = false

    mutating func append(_ frame: [UInt8], _ urgency: Urgency) {
        frames.append(frame)
        byteCount += frame.count
        if urgency == .awaited { isAwaited = true }
    }

    func due(atNanoseconds now: UInt64) -> Due {
        if frames.isEmpty { return .never }
        let gap = isBusy && !isAwaited ? Self.busyGapNanoseconds : Self.gapNanoseconds
        let passed = now - min(now, lastNanoseconds)
        if passed >= gap || byteCount >= Self.byteLimit { return .now }
        return .after(nanoseconds: gap - passed)
    }

    /// Removes and returns all frames, which leave now.
    mutating func removeAll(atNanoseconds now: UInt64) -> [[UInt8]] {
        defer {
            frames.removeAll()
            byteCount = 0
            isAwaited = false
            lastNanoseconds = now
        }
        count(frames.count, atNanoseconds: now)
        return frames
    }

    private mutating func count(_ leaving: Int, atNanoseconds now: UInt64) {
        framesInWindow += leaving
        guard now - min(now, windowStart) >= Self.windowNanoseconds else { return }
        // A window that a pause made longer had less traffic for its length.
        let windows = (now - windowStart) / Self.windowNanoseconds
        isBusy = framesInWindow >= Self.busyFrames * Int(windows)
        windowStart = now
        framesInWindow = 0
    }
}
