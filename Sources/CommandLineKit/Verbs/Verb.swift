/// Declares one verb of the command line: its arguments and options, its help, its work.
///
/// A verb has verbs below it (`hearth cluster up`), work of its own, or a program that does its work. Parsing,
/// help, the manual page and shell completion all follow from the declaration.
package struct Verb: Sendable {
    package typealias Work = @Sendable (Invocation) throws(CommandError) -> ExitStatus

    package let name: String
    /// The purpose in one sentence, then what else a user must know.
    let summary: String
    package private(set) var arguments: [Argument] = []
    package private(set) var options: [Option] = []
    package private(set) var verbs: [Verb] = []
    /// Further tables of the help.
    package let tables: [HelpTable]
    /// Whole command lines, at least one.
    package let examples: [String]
    /// Whether it is for programs: help, manual and completion leave it out.
    package private(set) var isHidden = false
    package private(set) var work: Work?
    /// The program that has the verb, with all verbs below it.
    package private(set) var program: SiblingProgram?

    /// Declares a verb with work of its own.
    package init(
        _ name: String, _ summary: String, arguments: [Argument] = [], options: [Option] = [],
        tables: [HelpTable] = [], examples: [String], isHidden: Bool = false, work: @escaping Work
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.tables = tables
        self.examples = examples
        self.isHidden = isHidden
        self.work = work
    }

    /// Declares a verb that only groups others.
    package init(
        _ name: String, _ summary: String, verbs: [Verb], tables: [HelpTable] = [],
        examples: [String]
    ) {
        self.name = name
        self.summary = summary
        self.verbs = verbs
        self.tables = tables
        self.examples = examples
    }

    /// Declares a verb of another program, which gets the whole command line and explains the verb.
    package init(
        _ name: String, _ summary: String, in program: SiblingProgram, examples: [String]
    ) {
        self.init(name, summary, verbs: [], examples: examples)
        self.program = program
    }

    /// The first sentence of the summary, for lists of verbs.
    var purpose: String {
        guard let end = summary.firstRange(of: ". ") else { return summary }
        return summary[..<end.lowerBound] + "."
    }

    /// The verbs below it that people use.
    var shownVerbs: [Verb] { verbs.filter { !$0.isHidden } }
}

/// Declares a word that a verb takes by its place.
package struct Argument: Sendable {
    package enum Arity: Sendable {
        case required
        case optional
        /// One or more; only as the last argument.
        case repeated
        /// None or more; only as the last argument.
        case any
    }

    /// As help shows it, in capitals.
    package let name: String
    package let explanation: String
    package let arity: Arity
    package let values: ValueKind
    /// Another command, for a user who omits the argument: the end of `write X, or …`.
    package let alternative: String?

    package init(
        _ name: String, _ explanation: String, arity: Arity = .required, values: ValueKind = .text,
        alternative: String? = nil
    ) {
        self.name = name
        self.explanation = explanation
        self.arity = arity
        self.values = values
        self.alternative = alternative
    }
}

/// Declares `--name` or `--name VALUE`.
package struct Option: Sendable {
    package enum Kind: Sendable {
        case flag
        case value(name: String, ValueKind)
    }

    /// Without the dashes.
    package let name: String
    /// The letter that stands for it after a single dash.
    package let letter: Character?
    package let kind: Kind
    package let explanation: String
    /// Whether many verbs have it: help shows such options last, in a block of their own.
    package private(set) var isCommon = false

    /// The same option as one of many verbs.
    package var common: Option {
        var option = self
        option.isCommon = true
        return option
    }

    /// Declares an option without a value.
    package init(flag name: String, letter: Character? = nil, _ explanation: String) {
        self.name = name
        self.letter = letter
        self.kind = .flag
        self.explanation = explanation
    }

    /// Declares an option with a value; given more than once, a verb may read all or the last.
    package init(
        _ name: String, letter: Character? = nil, _ valueName: String, _ explanation: String,
        values: ValueKind = .text
    ) {
        self.name = name
        self.letter = letter
        self.kind = .value(name: valueName, values)
        self.explanation = explanation
    }

    package static let help = Option(flag: "help", letter: "h", "Show this help.")
}

/// The kind of a value, for checks and for completion.
package enum ValueKind: Sendable {
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
