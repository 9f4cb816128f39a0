public import DataTree

/// What rules judge.
public enum RuleOperation: Equatable, Sendable {
    /// Reads a place, or listens to it.
    case read(Path)
    /// Replaces what is at a place. A path that ends in `.priority` replaces the priority alone.
    case write(Path)
    /// Replaces what is at each of these places, all of them or none.
    case update([Path])
}

/// Whether an operation may be done.
public enum RuleVerdict: Equatable, Sendable {
    case allowed
    case denied(Denial)

    /// Whether it may.
    public var isAllowed: Bool { self == .allowed }
}

/// Why an operation may not be done. `RuleTrace` says which part of which rule decided.
public enum Denial: Equatable, Sendable {
    /// No rule of the kind on the way to this place is true.
    case notGranted(RuleKind, at: Path)
    /// A `.validate`, the number of which is given, does not hold at this place.
    case invalid(rule: Int, at: Path)
    /// The rules take more work than one operation may.
    case exhausted
}
