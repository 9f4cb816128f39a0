/// The comparisons by which an expression permits something to a client that is not signed in, because null equals null.
///
/// `query.equalTo == auth.uid` is one: without a query, and without a user, both sides are null. `auth != null && …` in front
/// excludes it.
struct NullComparisons {
    /// The expression for a client that is not signed in: `auth` and its parts are null.
    private let expression: Expression
    private let original: Expression

    init(in expression: Expression) {
        original = expression
        var signedOut = expression
        for index in signedOut.nodes.indices where signedOut.nodes[index].isOfAuth {
            signedOut.nodes[index].kind = .null
            signedOut.nodes[index].type = .null
        }
        self.expression = signedOut
    }

    /// The texts of the comparisons, in the order of the expression.
    var texts: [String] { indexes(making: .isTrue, at: expression.root).map(original.text) }

    /// Returns the comparisons of null with a possible null that can give a part an outcome.
    private func indexes(making outcome: Outcomes, at index: Int) -> [Int] {
        guard expression.outcomes(of: index).contains(outcome) else { return [] }
        switch expression.nodes[index].kind {
        case .not(let operand): return indexes(making: outcome.inverted, at: operand)
        case .all(let parts): return indexes(making: outcome, in: parts, unless: .isFalse)
        case .any(let parts): return indexes(making: outcome, in: parts, unless: .isTrue)
        case .conditional(let condition, let then, let otherwise):
            let chosen = expression.outcomes(of: condition)
            return (chosen.contains(.isTrue) ? indexes(making: outcome, at: then) : [])
                + (chosen.contains(.isFalse) ? indexes(making: outcome, at: otherwise) : [])
        case .comparison(.equal, let left, let right) where outcome == .isTrue:
            return areNullTogether(left, right) ? [index] : []
        case .comparison(.unequal, let left, let right) where outcome == .isFalse:
            return areNullTogether(left, right) ? [index] : []
        default: return []
        }
    }

    /// - Parameter end: The outcome of one part that decides for all.
    private func indexes(
        making outcome: Outcomes, in parts: [Int], unless end: Outcomes
    ) -> [Int] {
        // A part that always ends the evaluation leaves nothing to the others.
        let reached = parts.prefix { !expression.outcomes(of: $0).isSubset(of: [end, .fails]) }
        let isEnded = reached.count < parts.count
        if isEnded, outcome != end { return [] }
        let considered = isEnded ? Array(parts.prefix(reached.count + 1)) : parts
        return considered.flatMap { indexes(making: outcome, at: $0) }
    }

    private func areNullTogether(_ left: Int, _ right: Int) -> Bool {
        isNull(left) && mayBeNull(right) || isNull(right) && mayBeNull(left)
    }

    /// Whether a part is `auth` or belongs to it.
    private func isNull(_ index: Int) -> Bool { original.nodes[index].isOfAuth }

    /// Whether a part can be null for lack of data or of a query.
    private func mayBeNull(_ index: Int) -> Bool {
        switch expression.nodes[index].kind {
        case .queryProperty(let property): property.type == .queryValue
        case .snapshotMethod(.val, _, _), .snapshotMethod(.getPriority, _, _): true
        default: false
        }
    }
}

extension Expression.Node {
    fileprivate var isOfAuth: Bool {
        switch kind {
        case .variable(.auth), .claim, .claimAt: true
        default: false
        }
    }
}
