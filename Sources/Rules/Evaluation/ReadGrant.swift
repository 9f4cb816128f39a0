public import DataTree

/// The permission to read a place, and the data on which it depends. Until these data change, the
/// granting rule holds.
public struct ReadGrant: Equatable, Sendable {
    /// The places on which the rule depends, ascending. One that ends in `.priority` is only the
    /// priority. Of another place, the rule knows whether it has a value, and the value if it has
    /// no children.
    public let places: [Path]
}

extension Ruleset {
    /// Returns the grant that permits a read; nil if no rule permits it.
    ///
    /// - Complexity: as `trace`; what is only asked once needs no more than `judge`.
    public func grant(
        reading path: Path, in situation: RuleSituation, spending units: inout Int
    ) -> ReadGrant? {
        let trace = trace(.read(path), in: situation)
        units += trace.units
        return grant(by: trace)
    }

    /// Returns the grant that permits a read, and counts the results of the rules.
    public func grant(
        reading path: Path, in situation: RuleSituation, counting coverage: inout RuleCoverage,
        spending units: inout Int
    ) -> ReadGrant? {
        let trace = trace(.read(path), in: situation)
        units += trace.units
        coverage.add(trace)
        return grant(by: trace)
    }

    private func grant(by trace: RuleTrace) -> ReadGrant? {
        guard trace.verdict.isAllowed, let grant = trace.evaluations.last else {
            return nil
        }
        let expression = rules[grant.rule].expression
        return ReadGrant(places: VisitedPlaces(expression, grant).all)
    }
}

/// The places that one evaluation of a rule has looked at.
private struct VisitedPlaces {
    /// With more places than this, a rule counts as one that looks at everything.
    private static let limit = 64
    private let expression: Expression
    private let evaluation: RuleTrace.Evaluation

    init(_ expression: Expression, _ evaluation: RuleTrace.Evaluation) {
        (self.expression, self.evaluation) = (expression, evaluation)
    }

    var all: [Path] {
        var places: Set<Path> = []
        for index in expression.nodes.indices where evaluation.values[index] != nil {
            places.formUnion(visited(by: index))
        }
        return places.count > VisitedPlaces.limit ? [.root] : places.sorted()
    }

    private func visited(by index: Int) -> [Path] {
        guard case .snapshotMethod(let method, let object, let arguments) = kind(index) else {
            return []
        }
        switch method {
        case .child, .parent: return []
        case .getPriority: return [place(of: object).appending(.priority)]
        case .hasChild: return [place(below: object, arguments[0])]
        case .hasChildren:
            guard let names = arguments.first, case .array(let elements) = kind(names) else {
                return [place(of: object)]
            }
            return elements.map { place(below: object, $0) }
        case .val, .exists, .isNumber, .isString, .isBoolean: return [place(of: object)]
        }
    }

    private func kind(_ index: Int) -> Expression.Kind { expression.nodes[index].kind }

    /// The place that a part stands for.
    private func place(of index: Int) -> Path {
        switch kind(index) {
        case .variable(.data), .variable(.newData): return evaluation.path
        case .snapshotMethod(.parent, let object, _): return place(of: object).parent ?? .root
        case .snapshotMethod(.child, let object, let arguments):
            return place(below: object, arguments[0])
        case .conditional(let condition, let then, let otherwise):
            guard case .boolean(let isTrue)? = evaluation.values[condition] else { return .root }
            return place(of: isTrue ? then : otherwise)
        default: return .root
        }
    }

    private func place(below object: Int, _ argument: Int) -> Path {
        let above = place(of: object)
        // A value that is no string made the rule fail before it read any place.
        guard let text = evaluation.values[argument]?.text else { return above }
        let keys = text.utf8.split(separator: UInt8(ascii: "/"))
            .map { Key(unchecked: String(decoding: $0, as: UTF8.self)) }
        return above.appending(Path(keys))
    }
}
