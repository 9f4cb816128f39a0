/// Declares one verb of the command line: what it takes, what its help says, what it does.
///
/// A verb either has verbs below it (`hearth cluster up`) or work of its own, never both. Parsing,
/// help, the manual page and shell completion all follow from the declaration.
struct Verb: Sendable {
    typealias Work = @Sendable (Invocation) throws(CommandError) -> ExitStatus

    let name: String
    /// One sentence, as it begins the help.
    let summary: String
    let arguments: [Argument]
    let options: [Option]
    let verbs: [Verb]
    /// What the help explains beyond arguments and options.
    let tables: [HelpTable]
    /// Whole command lines, at least one.
    let examples: [String]
    /// Whether it is for programs: help, manual and completion leave it out.
    let isHidden: Bool
    let work: Work?

    /// Declares a verb that does something.
    init(
        _ name: String, _ summary: String, arguments: [Argument] = [], options: [Option] = [],
        tables: [HelpTable] = [], examples: [String], isHidden: Bool = false, work: @escaping Work
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.verbs = []
        self.tables = tables
        self.examples = examples
        self.isHidden = isHidden
        self.work = work
    }

    /// Declares a verb that only groups others.
    init(
        _ name: String, _ summary: String, verbs: [Verb], tables: [HelpTable] = [],
        examples: [String]
    ) {
        self.name = name
        self.summary = summary
        self.arguments = []
        self.options = []
        self.verbs = verbs
        self.tables = tables
        self.examples = examples
        self.isHidden = false
        self.work = nil
    }

    /// The verbs below it that people use.
    var shownVerbs: [Verb] { verbs.filter { !$0.isHidden } }
}

/// Declares a word that a verb takes by its place.
struct Argument: Sendable {
    enum Arity: Sendable {
        case required
        case optional
        /// One or more; only as the last argument.
        case repeated
        /// None or more; only as the last argument.
        case any
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
    /// The letter that stands for it after a single dash.
    let letter: Character?
    let kind: Kind
    let explanation: String

    /// Declares an option without a value.
    init(flag name: String, letter: Character? = nil, _ explanation: String) {
        self.name = name
        self.letter = letter
        self.kind = .flag
        self.explanation = explanation
    }

    /// Declares an option with a value; given more than once, a verb may read all or the last.
    init(
        _ name: String, letter: Character? = nil, _ valueName: String, _ explanation: String,
        values: ValueKind = .text
    ) {
        self.name = name
        self.letter = letter
        self.kind = .value(name: valueName, values)
        self.explanation = explanation
    }

    static let help = Option(flag: "help", letter: "h", "Show this help.")
}

/// What may stand as a value, for checks and for completion.
enum ValueKind: Sendable {
    case text
    case file
    case folder
    /// The name of a node of the cluster.
    case node
    /// A path in the tree.
    case path
    /// A verb of `hearth`, and further words those below it.
    case verb
    case oneOf([String])
}
