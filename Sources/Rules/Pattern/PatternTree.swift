/// A parsed regular expression, before it is an automaton.
indirect enum PatternTree: Equatable, Sendable {
    case unit(UnitSet)
    case sequence([PatternTree])
    case alternatives([PatternTree])
    /// At least `minimum` times; without a maximum as often as one likes.
    case repetition(PatternTree, minimum: Int, maximum: Int?)
}
