/// The remaining work of the rules of one operation. Each part of an expression and each visited
/// node of data costs sixteen units. Each byte of a string and each state of a regular expression
/// costs one.
struct RuleWork: Sendable {
    private(set) var remaining: Int

    init(_ units: Int = RuleLimits.workUnits) { remaining = units }

    /// The cost of one part of an expression.
    static let step = 16

    /// Whether nothing is left.
    var isExhausted: Bool { remaining <= 0 }

    /// Subtracts a cost; fails once it cannot be paid.
    mutating func pay(_ units: Int) throws(RuleFailure) {
        remaining = units < remaining ? remaining - units : 0
        if remaining == 0 { throw .exhausted }
    }
}
