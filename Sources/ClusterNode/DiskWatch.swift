/// Measures how long turns wait for the disk.
struct DiskWatch {
    private var waiting: [(turn: UInt64, nanoseconds: UInt64)] = []

    /// Records that a turn was given to the storage thread.
    mutating func begin(_ turn: UInt64, at nanoseconds: UInt64) {
        waiting.append((turn, nanoseconds))
    }

    /// Records that a turn, and so every earlier one, is durable; returns how long the first of them has waited.
    mutating func end(_ turn: UInt64, at nanoseconds: UInt64) -> UInt64 {
        guard let first = waiting.first, first.turn <= turn else { return 0 }
        waiting.removeFirst(waiting.firstIndex { $0.turn > turn } ?? waiting.count)
        return nanoseconds - first.nanoseconds
    }
}
