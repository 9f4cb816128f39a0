/// Declares one verb of the command line: what it takes, what its help says, what it does.
///
/// A verb either has verbs below it (`hearth cluster up`) or work of its own, never both. Parsing,
/// help and shell completion all follow from the declaration.
struct Verb: Sendable {
    typealias Work = @Sendable (Invocation) throws(CommandError) -> ExitStatus

    let name: String
    /// One sentence, as it begins the help.
    let summary: String
    let arguments: [Argument]
    let options: [Option]
    let verbs: [Verb]
    /// Whole command lines, at least one.
    let examples: [String]
    let work: Work?

    /// Declares a verb that does something.
    init(
        _ name: String, _ summary: String, arguments: [Argument] = [], options: [Option] = [],
        examples: [String], work: @escaping Work
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.verbs = []
        self.examples = examples
        self.work = work
    }

    /// Declares a verb that only groups others.
    init(_ name: String, _ summary: String, verbs: [Verb], examples: [String]) {
        self.name = name
        self.summary = summary
        self.arguments = []
        self.options = []
        self.verbs = verbs
        self.examples = examples
        self.work = nil
    }
}

/// Declares a word that a verb takes by its place.
struct Argument: Sendable {
    enum Arity: Sendable {
        case required
        case optional
        /// One or more; only as the last argument.
        case repeated
    }

    /// As help shows it, in capitals.
    let name: String
    let explanation: String
    let arity: Arity
    let values: ValueKind

    init(
        _ name: String, _ explanation: String, arity: Arity = .required, values: ValueKind = .text
    ) {
        self.name = name
        self.explanation = explanation
        self.arity = arity
        self.values = values
    }
}

/// Declares `--name` or `--name VALUE`.
struct Option: Sendable {
    enum Kind: Sendable {
        case flag
        case value(name: String, ValueKind)
    }

    /// Without the dashes.
    let name: String
    let kind: Kind
    let explanation: String

    /// Declares an option without a value.
    init(flag name: String, _ explanation: String) {
        self.name = name
        self.kind = .flag
        self.explanation = explanation
    }

    /// Declares an option with a value; given more than once, a verb may read all or the last.
    init(
        _ name: String, _ valueName: String, _ explanation: String, values: ValueKind = .text
    ) {
        self.name = name
        self.kind = .value(name: valueName, values)
        self.explanation = explanation
    }

    static let help = Option(flag: "help", "Show this help (also -h).")
}

/// What may stand as a value, for checks and for completion.
enum ValueKind: Sendable {
    case text
    case file
    case folder
    case oneOf([String])
}
