/// What a regular expression says, before it is an automaton.
indirect enum PatternTree: Equatable, Sendable {
    case unit(UnitSet)
    case sequence([PatternTree])
    case alternatives([PatternTree])
    /// At least `minimum` times; without a maximum as often as one likes.
    case repetition(PatternTree, minimum: Int, maximum: Int?)
}

extension PatternTree {
    /// The same for letters of either case.
    var ignoringCase: PatternTree {
        switch self {
        case .unit(let set): .unit(set.ignoringCase)
        case .sequence(let items): .sequence(items.map(\.ignoringCase))
        case .alternatives(let trees): .alternatives(trees.map(\.ignoringCase))
        case .repetition(let item, let minimum, let maximum):
            .repetition(item.ignoringCase, minimum: minimum, maximum: maximum)
        }
    }
}
