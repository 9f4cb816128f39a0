/// One verb with the words that it was given, checked against its declaration.
package struct Invocation: Sendable {
    package let verb: Verb
    /// The words that lead to the verb: `["hearth", "cluster", "up"]`.
    package let path: [String]
    private var arguments: [String: [String]] = [:]
    private var options: [String: [String]] = [:]

    package init(of verb: Verb, path: [String]) {
        self.verb = verb
        self.path = path
    }

    /// The command as the user began it: `hearth cluster up`.
    package var name: String { path.joined(separator: " ") }

    package mutating func add(_ word: String, to argument: Argument) {
        arguments[argument.name, default: []].append(word)
    }

    package mutating func add(_ value: String, to option: Option) {
        options[option.name, default: []].append(value)
    }

    package func run() throws(CommandError) -> ExitStatus {
        guard let work = verb.work else { preconditionFailure("\(name) does nothing by itself") }
        return try work(self)
    }
}

// MARK: - What a verb reads

extension Invocation {
    /// The word given for a required argument.
    package subscript(_ argument: Argument) -> String {
        guard let word = arguments[argument.name]?.first else {
            preconditionFailure("\(name) was started without \(argument.name)")
        }
        return word
    }

    /// The words given for an optional or repeated argument.
    package func words(of argument: Argument) -> [String] { arguments[argument.name] ?? [] }

    /// The value given last for an option.
    package subscript(_ option: Option) -> String? { options[option.name]?.last }

    /// All values given for an option, in order.
    package func values(of option: Option) -> [String] { options[option.name] ?? [] }

    package func has(_ flag: Option) -> Bool { options[flag.name] != nil }

    /// The whole number given for an option.
    ///
    /// - Throws: a usage error for anything else or for a number out of range.
    package func integer(_ option: Option, in range: ClosedRange<Int>) throws(CommandError) -> Int?
    {
        guard let text = self[option] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw usageError(
                "--\(option.name) \(text): not a whole number"
                    + " from \(range.lowerBound) to \(range.upperBound)",
                fix: "give --\(option.name) such a number")
        }
        return number
    }

    /// The seconds given for an option, fractions allowed, as a duration.
    package func duration(_ option: Option) throws(CommandError) -> Duration? {
        guard let text = self[option] else { return nil }
        guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
            throw usageError(
                "--\(option.name) \(text): not a positive number of seconds",
                fix: "give seconds, for example --\(option.name) 2.5")
        }
        return .milliseconds(Int64(seconds * 1000))
    }

    /// An error of the user's making in the words of this command.
    package func usageError(_ problem: String, fix: String? = nil) -> CommandError {
        CommandError(.usage, problem, fix: fix ?? "see `\(name) --help`")
    }
}
