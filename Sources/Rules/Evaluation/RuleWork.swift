/// The remaining work of the rules of one operation. Each part of an expression and each visited
/// node of data costs sixteen units. Each byte of a string and each state of a regular expression
/// costs one.
struct RuleWork: Sendable {
    /// The remaining units; during an evaluation, its own.
    private(set) var remaining: Int
    /// All that was granted so far.
    private var granted: Int

    init(_ units: Int = RuleLimits.operationUnits) { (remaining, granted) = (units, units) }

    /// The cost of one part of an expression.
    static let step = 16

    /// Whether nothing is left.
    var isExhausted: Bool { remaining <= 0 }

    /// The units that were spent.
    var spent: Int { granted - remaining }

    /// Subtracts a cost; fails once it cannot be paid.
    mutating func pay(_ units: Int) throws(RuleFailure) {
        remaining = units < remaining ? remaining - units : 0
        if remaining == 0 { throw .exhausted }
    }

    /// Adds what a place may cost that is written, unless everything is spent.
    mutating func grant(forPlaceWith textBytes: Int) {
        guard !isExhausted else { return }
        let units = RuleLimits.placeUnits + RuleLimits.textByteUnits * textBytes
        let added = min(units, RuleLimits.workUnits - granted)
        guard added > 0 else { return }
        granted += added
        remaining += added
    }

    /// Sets aside what one evaluation may not spend.
    ///
    /// - Returns: The units to give back to `endEvaluation`.
    mutating func beginEvaluation(within units: Int) -> Int {
        let rest = max(0, remaining - units)
        remaining -= rest
        return rest
    }

    /// Adds what was set aside; an evaluation that has spent all that it may exhausts the operation.
    mutating func endEvaluation(_ rest: Int) {
        if isExhausted { granted -= rest } else { remaining += rest }
    }
}
