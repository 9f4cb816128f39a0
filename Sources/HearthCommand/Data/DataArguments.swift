internal import CommandLineKit
internal import DataTree
internal import JSONText

/// The arguments that the data verbs share.
enum DataArguments {
    static let path = Argument(
        "PATH", "A location in the tree, such as /rooms/lobby; / is the whole tree.", values: .path)
    static let json = Argument(
        "JSON", "A JSON value, such as '{\"text\":\"hello\"}'; - reads it from standard input.")
    static let priorities = Option(
        flag: "export", "Show priorities, in Firebase's export form.")
}

extension Invocation {
    /// The path given, or a usage error.
    func location() throws(CommandError) -> Path {
        do throws(DataError) {
            return try Path(self[DataArguments.path])
        } catch {
            throw CommandError(error)
        }
    }

    /// The JSON text given as a word or on standard input.
    func json(_ argument: Argument = DataArguments.json) throws(CommandError) -> [UInt8] {
        let word = self[argument]
        guard word == "-" else { return Array(word.utf8) }
        return try InputFile.standardInput.readAll()
    }
}

/// Reads JSON, naming where the text came from when it is wrong.
func parseJSON(_ text: [UInt8], from source: String) throws(CommandError) -> Value {
    do throws(JSONError) {
        return try JSONReader().parse(text)
    } catch {
        throw CommandError(error, in: source)
    }
}

extension CommandError {
    init(_ error: JSONError, in source: String) {
        self.init(.badData, "\(source), \(error)", fix: error.fix)
    }
}
