import DataTree

/// The state of one invariant at one node. It evaluates only changes since the last evaluation.
struct InvariantState {
    /// A violation of an invariant.
    struct Violation {
        var place: Path
        /// The value there, in words.
        var found: String
    }

    private let invariant: Invariant
    /// The tree that was judged last; nil before the first one of a process.
    private var judged: Value?
    /// The exact sum of whole numbers.
    private var sum: Int128 = 0
    /// Whether a number that is no whole one was met: such sums are computed anew, since they depend on their order.
    private var isInexact = false
    /// How many places were judged.
    private(set) var count = 0

    init(_ invariant: Invariant) { self.invariant = invariant }

    /// Judges a tree; returns the first place at which the invariant does not hold.
    mutating func evaluate(_ tree: Value) -> Violation? {
        if let judged, judged.isSame(as: tree) { return nil }
        defer { judged = tree }
        switch invariant.claim {
        case .every(let condition):
            return firstViolation(in: tree) { match, value in
                let isRight = condition.holds(at: match.path, in: tree)
                return isRight ? nil : "is \(value.summary)"
            }
        case .count(let bound):
            return firstViolation(in: tree) { _, value in
                let count = value.children.count
                return bound.holds(for: Double(count)) ? nil : "has \(count) children"
            }
        case .sum(let bound):
            let sum = total(of: tree)
            if count == 0 || bound.holds(for: sum) { return nil }
            return Violation(place: .root, found: "the sum is \(Number.double(sum).value)")
        }
    }

    private mutating func firstViolation(
        in tree: Value, _ problem: (PlacePattern.Match, Value) -> String?
    ) -> Violation? {
        var violation: Violation?
        var judgedCount = 0
        invariant.places.visit(tree, since: invariant.isLocal ? judged : nil) { match in
            guard let value = match.new else { return }
            judgedCount += 1
            guard violation == nil, let found = problem(match, value) else { return }
            violation = Violation(place: match.path, found: found)
        }
        count += judgedCount
        return violation
    }

    private mutating func total(of tree: Value) -> Double {
        var (change, changed) = (Int128(0), 0)
        var isInexact = isInexact
        invariant.places.visit(tree, since: judged) { match in
            for (value, sign) in [(match.new, Int128(1)), (match.old, -1)] {
                switch value?.number {
                case .integer(let number)?: change += sign * Int128(number)
                case .double?: isInexact = true
                case nil: break
                }
            }
            if match.new?.number != nil { changed += 1 }
        }
        sum += change
        count += changed
        self.isInexact = isInexact
        return isInexact ? inexactTotal(of: tree) : Double(sum)
    }

    private func inexactTotal(of tree: Value) -> Double {
        var sum = 0.0
        invariant.places.visit(tree, since: nil) { sum += $0.new?.number?.asDouble ?? 0 }
        return sum
    }
}
