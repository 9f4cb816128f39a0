import DataTree

/// The expected result of a dense program's read, as far as it is known at the request.
enum ReadExpectation {
    /// A listener of the program shows it already.
    case shown(Value)
    /// The program is offline, and listens to nothing.
    case offline
    /// Some node answers.
    case anything
}
