public import DataTree

/// A condition on the places of a tree, in the language of rules. It may use `data`, `root` and the
/// wildcards on the way to the place.
///
/// There is no operation that it judges, and so neither `auth`, `now`, `query` nor `newData`.
public struct TreeCondition: Sendable {
    private let program: Program
    /// Whether only the place and what lies below it decide.
    public let isLocal: Bool

    /// Compiles an expression.
    ///
    /// - Parameter names: The keys on the way to the place, from the root, with wildcards that begin with `$`.
    /// - Throws: The first fault, on line 1.
    public init(_ text: String, below names: [String]) throws(RuleError) {
        let source = Array(text.utf8)
        do throws(SourceError) {
            var parser = ExpressionParser(
                source, at: names)
            let expression = try TypeChecker.check(try parser.parse(), as: .read)
            if let error = expression.errorOutsideTree { throw error }
            program = Program(expression)
            isLocal = !expression.leavesPlace
        } catch {
            var cursor = TextCursor(source)
            throw cursor.located(error)
        }
    }

    /// Whether the condition holds at a place; one that fails to be evaluated does not.
    public func holds(at path: Path, in tree: Value) -> Bool {
        var evaluator = Evaluator(RuleSituation(auth: .null, now: 0, data: tree))
        evaluator.route.turn(to: path)
        return evaluator.holds(program, at: path.count)
    }
}

extension Expression {
    /// The first part that is about an operation, and not about a tree.
    fileprivate var errorOutsideTree: SourceError? {
        for node in nodes {
            let name: String
            switch node.kind {
            case .variable(.auth): name = "auth"
            case .variable(.now): name = "now"
            case .variable(.query), .queryProperty: name = "query"
            default: continue
            }
            return SourceError(
                offset: node.span.lowerBound, text: "A condition on a tree has no '\(name)'.")
        }
        return nil
    }

    /// Whether it looks at other places than its own and those below.
    fileprivate var leavesPlace: Bool {
        nodes.contains { node in
            switch node.kind {
            case .variable(.root), .snapshotMethod(.parent, _, _): true
            default: false
            }
        }
    }
}
