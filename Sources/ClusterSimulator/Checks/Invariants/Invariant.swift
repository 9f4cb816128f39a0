import DataTree
import Rules

/// A claim of a scenario's own about the tree, which has to hold at every node after every turn.
struct Invariant: Sendable {
    /// The claim about the locations of its pattern.
    enum Claim: Sendable {
        /// A condition on each, in the language of rules.
        case every(TreeCondition)
        /// The number of children of each.
        case count(Bound)
        /// The sum of all their numbers.
        case sum(Bound)
    }

    let places: PlacePattern
    let claim: Claim
    /// The claim as a scenario says it, behind `check`.
    let text: String

    /// Whether nothing but what changed below a place can end its claim.
    var isLocal: Bool {
        if case .every(let condition) = claim { condition.isLocal } else { true }
    }
}

/// A comparison with a number.
struct Bound: Equatable, Sendable {
    enum Comparison: String, CaseIterable, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    let comparison: Comparison
    let limit: Double

    /// Whether a number fulfils it.
    func holds(for number: Double) -> Bool {
        switch comparison {
        case .equal: number == limit
        case .unequal: number != limit
        case .less: number < limit
        case .lessOrEqual: number <= limit
        case .greater: number > limit
        case .greaterOrEqual: number >= limit
        }
    }
}
