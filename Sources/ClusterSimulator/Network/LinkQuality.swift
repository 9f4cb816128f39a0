import ReplicaCore

/// How one direction of the connection between two nodes treats frames.
struct LinkQuality: Equatable, Sendable {
    var delay = TimeRange(.milliseconds(1), .milliseconds(10))
    /// The chance that a frame takes two to a hundred times as long, but no longer than two seconds.
    var tail = Probability.zero
    /// Of published frames.
    var loss = Probability.zero
    var duplicate = Probability.zero
    var reorder = Probability.zero
    /// The chance that an old published frame comes once more after a new one.
    var replay = Probability.zero
    /// The chance that a few bits of a frame are turned.
    var corrupt = Probability.zero
    /// The chance that the end of a frame is missing.
    var truncate = Probability.zero
    /// Bytes a second; 0 for no limit.
    var bandwidth = 0
    /// Published frames on their way to one subscriber, beyond which more are dropped; 0 for no
    /// limit.
    var queue = 0
}

extension LinkQuality {
    /// Draws how long a frame is on its way.
    func drawDelay(_ random: inout SplitMix64) -> Microseconds {
        let delay = random.time(in: delay)
        guard random.happens(tail) else { return delay }
        // Bounded, because all later frames on the same connection wait for this one.
        return max(delay, min(delay * (2 + random.number(below: 99)), .seconds(2)))
    }

    /// How long so many bytes take to leave; 0 without a limit.
    func departure(ofBytes count: Int) -> Microseconds {
        bandwidth > 0 ? Microseconds(count) * 1_000_000 / Microseconds(bandwidth) : 0
    }
}

/// What nodes publish.
enum Topic: String, CaseIterable, Sendable {
    case batches, heartbeats
}
