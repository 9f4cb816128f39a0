import DataTree

/// What a read of a dense program has to come to, as far as that is known when it is asked for.
enum ReadExpectation {
    /// A listener of the program shows it already.
    case shown(Value)
    /// The program is offline, and listens to nothing.
    case offline
    /// Some node answers.
    case anything
}
