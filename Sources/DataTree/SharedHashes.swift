/// The hashes of one value that a request needs.
package struct HashTask: Sendable {
    /// The location of the value.
    package let path: Path
    /// Nil until they are computed.
    package private(set) var hashes: ValueHashes?
    private var hashing: ValueHashing
    /// Its number among the tasks that take several steps.
    fileprivate var number: UInt64?

    /// Begins with a value.
    package init(_ value: Value, at path: Path) {
        self.path = path
        hashing = ValueHashing(of: value)
    }

    /// The value.
    package var value: Value { hashing.value }

    fileprivate mutating func advance(spending units: Int) -> Int {
        defer { hashes = hashing.hashes }
        return hashing.advance(spending: units)
    }

    fileprivate mutating func finish(_ known: ValueHashes) { hashes = known }
}

/// The hashes of large values that several requests need: one of them computes the hashes, and they stay known until
/// `removeStale`.
package struct SharedHashes: Sendable {
    private static let knownLimit = 16
    /// After so long without a step, the request that computes a hash counts as gone.
    private static let patienceMilliseconds: UInt64 = 1_000

    private struct Known: Sendable {
        let path: Path
        let value: Value
        let hashes: ValueHashes
    }

    private struct Running: Sendable {
        let number: UInt64
        let value: Value
        var milliseconds: UInt64
    }

    private var known: [Known] = []
    private var running: [Running] = []
    private var lastNumber: UInt64 = 0

    package init() {}

    /// Goes on with a hash, unless it is known, or another request computes it; returns the units.
    package mutating func advance(
        _ task: inout HashTask, spending units: Int, at milliseconds: UInt64
    ) -> Int {
        if task.hashes != nil { return 0 }
        let value = task.value
        if let one = known.first(where: { $0.value.isShared(with: value) }) {
            task.finish(one.hashes)
            return 1
        }
        if let index = running.firstIndex(where: { $0.value.isShared(with: value) }) {
            let isOwn = running[index].number == task.number
            let isStale =
                milliseconds >= running[index].milliseconds + Self.patienceMilliseconds
            guard isOwn || isStale else { return 0 }
            running.remove(at: index)
        }
        let spent = task.advance(spending: units)
        if let hashes = task.hashes {
            // Short work is not worth the memory.
            if task.number != nil { add(Known(path: task.path, value: value, hashes: hashes)) }
        } else {
            if task.number == nil {
                lastNumber += 1
                task.number = lastNumber
            }
            running.append(
                Running(number: task.number!, value: value, milliseconds: milliseconds))
        }
        return spent
    }

    private mutating func add(_ one: Known) {
        if known.count == Self.knownLimit { known.removeFirst() }
        known.append(one)
    }

    /// Forgets values, and requests that are gone.
    package mutating func removeStale(
        at milliseconds: UInt64, where isStale: (Path, Value) -> Bool
    ) {
        if known.isEmpty, running.isEmpty { return }
        known.removeAll { isStale($0.path, $0.value) }
        running.removeAll { milliseconds >= $0.milliseconds + Self.patienceMilliseconds }
    }
}
