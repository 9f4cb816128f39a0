import DataTree
import SyncProtocol

/// The comparison of what a client knows of a location with the value there, by hashes, in steps.
///
/// It compares the value of the moment at which it began; writes may have changed the location when it is complete.
struct HashCheck: Sendable {
    enum Outcome: Sendable {
        /// The client knows the value.
        case equal
        /// It does not, and has to get all of the value, or these parts of it.
        case different([ChangedRange]?)
    }

    /// More changed parts than this are replaced by the whole value, which leaves the node in pieces.
    private static let partLimit = 4_096

    /// The request that needs it.
    let requestID: UInt64
    let path: Path
    let hash: DataHash
    let ranges: CompoundHash?
    /// Whether the client may have rounded numbers.
    private let isRounded: Bool
    private var task: HashTask
    private var comparison: RangeComparison?
    /// Nil until the comparison is complete.
    private(set) var outcome: Outcome?

    /// Begins to compare.
    init(
        for requestID: UInt64, _ hash: DataHash, _ ranges: CompoundHash? = nil, isRounded: Bool,
        with value: Value, at path: Path
    ) {
        (self.requestID, self.path, self.hash, self.ranges) = (requestID, path, hash, ranges)
        self.isRounded = isRounded
        task = HashTask(value, at: path)
        // No value has such a hash.
        if !hash.isPossible { compareRanges() }
    }

    /// The value with which it compares.
    var value: Value { task.value }

    /// Whether the client knows what is at the location now. Of values that differ, it knows one at most.
    func isMet(by present: Value) -> Bool {
        guard case .equal = outcome else { return false }
        return present.isShared(with: value) || present.differences(from: value).isEmpty
    }

    /// Whether it is the comparison that a request needs.
    func isFor(_ id: UInt64, _ path: Path, _ hash: DataHash, _ ranges: CompoundHash?) -> Bool {
        requestID == id && self.path == path && self.hash == hash && self.ranges == ranges
    }

    /// Goes on until about so many units are spent; returns how many are. Without any, another request computes the hash.
    mutating func advance(
        spending units: Int, sharing hashes: inout SharedHashes, at milliseconds: UInt64
    ) -> Int {
        var spent = 0
        if outcome == nil, comparison == nil {
            spent = hashes.advance(&task, spending: units, at: milliseconds)
            guard let known = task.hashes else { return spent }
            let isEqual = isRounded ? known.match(hash) : known.exact == hash
            if isEqual { outcome = .equal } else { compareRanges() }
        }
        while spent < units, outcome == nil {
            spent += comparison!.advance(spending: units - spent)
            if let outcome = comparison!.outcome { finish(outcome) }
        }
        return spent
    }

    private mutating func compareRanges() {
        if let ranges, !ranges.posts.isEmpty {
            comparison = RangeComparison(of: value, with: ranges, partLimit: Self.partLimit)
        } else {
            outcome = .different(nil)
        }
    }

    private mutating func finish(_ compared: RangeComparison.Outcome) {
        comparison = nil
        switch compared {
        case .whole: outcome = .different(nil)
        case .ranges(let ranges):
            outcome = .different(
                ranges.map { range, parts in
                    ChangedRange(
                        range, writes: parts.map { Write(path: $0.path, value: $0.value) })
                })
        }
    }
}

// MARK: - Of sessions

extension Sessions {
    /// Compares what the client of a request knows with the present value, or with that of an earlier turn if the comparison
    /// has begun then.
    ///
    /// - Returns: Nil if the comparison takes further turns; the request is served again once it is complete.
    mutating func hashCheck(
        for id: UInt64, _ session: SessionID, _ hash: DataHash, _ ranges: CompoundHash? = nil,
        with value: Value, at path: Path, isRounded: Bool
    ) -> HashCheck? {
        var check =
            if let begun = hashChecks[session], begun.isFor(id, path, hash, ranges) {
                begun
            } else {
                HashCheck(
                    for: id, hash, ranges, isRounded: isRounded, with: value, at: path)
            }
        hashChecks[session] = nil
        if check.outcome == nil {
            shares.spend(
                check.advance(
                    spending: shares.firstUnits, sharing: &hashes, at: shares.milliseconds))
        }
        if check.outcome != nil { return check }
        hashChecks[session] = check
        awaitsHash = true
        return nil
    }

    /// Goes on with the comparison for the first request of a session; returns whether the request can be served.
    mutating func continueHashCheck(of session: SessionID, spending units: Int) -> Bool {
        guard var check = hashChecks.removeValue(forKey: session) else { return true }
        shares.spend(
            check.advance(spending: units, sharing: &hashes, at: shares.milliseconds))
        hashChecks[session] = check
        return check.outcome != nil
    }

    /// Removes and returns what the request lacks that is being served.
    mutating func takeNeed(of session: SessionID) -> RequestNeed? {
        if let index = missingIndex.take() { return .index(index) }
        if awaitsHash {
            awaitsHash = false
            return .hash
        }
        // A comparison never serves a later request.
        if !hashChecks.isEmpty { hashChecks[session] = nil }
        return nil
    }
}

/// The work that has to be done before a request can be served, in slices.
enum RequestNeed: Sendable {
    case index(ListIndex)
    /// A comparison by hashes.
    case hash

    var index: ListIndex? { if case .index(let index) = self { index } else { nil } }
}
