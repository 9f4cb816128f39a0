internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import EventLoop

extension Verb {
    private static let json = Argument(
        "JSON", DataArguments.json.explanation, arity: .optional)
    private static let standardInput = Option(
        flag: "stdin", "Push each line of standard input, one JSON value a line.")

    static let push = Verb(
        "push",
        "Adds a child under a new key that sorts by time, and prints the key. It also prints "
            + "the key if the write is done on fewer nodes than --concern requires (exit code 80), "
            + "or if its outcome is unknown (75).",
        arguments: [DataArguments.path, json], options: [standardInput] + NodeClient.writeOptions,
        examples: [
            "hearth push /rooms/lobby/messages '{\"text\":\"hello\"}'",
            "generate-events | hearth push /events --stdin --node n1 --node n2 --dir demo",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let isGiven = !invocation.words(of: json).isEmpty
        if invocation.has(standardInput) {
            if isGiven { throw invocation.usageError("hearth push: JSON and --stdin together") }
            return try PushStream(to: path, by: try NodeClient(for: invocation)).run()
        }
        guard isGiven else {
            throw invocation.usageError(
                "hearth push: JSON is missing", fix: "give a JSON value, or --stdin")
        }
        let value = try parseJSON(try invocation.json(json), from: "JSON")
        if value.isNull { throw nothingToPush("JSON") }
        var keys = PushIDGenerator()
        var random = SystemRandomNumberGenerator()
        let key = keys.next(at: Loop.wallClockMilliseconds, random: &random)
        let client = try NodeClient(for: invocation)
        // The key is printed even after an interrupt, as the write may happen.
        StopRequest.watch()
        do throws(CommandError) {
            try client.put(value, at: path.appending(key))
        } catch {
            if error.leavesWrite { StandardOutput.shared.print(key.text) }
            throw error
        }
        StandardOutput.shared.print(key.text)
        return .success
    }
}

/// The error for null: a key without a value would name no child.
func nothingToPush(_ source: String) -> CommandError {
    CommandError(
        .badData, "\(source): null and empty objects are not data, so there is nothing to push",
        fix: "give a value, for example true, \"text\" or {\"text\": \"hello\"}")
}
