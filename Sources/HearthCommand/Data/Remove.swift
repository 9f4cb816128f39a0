internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree

extension Verb {
    static let remove = Verb(
        "remove", "Removes the value at a path. Asks for a confirmation before it removes /.",
        arguments: [DataArguments.path], options: [Removal.force] + NodeClient.writeOptions,
        examples: [
            "hearth remove /rooms/lobby --node http://127.0.0.1:7001", "hearth remove / --force",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        guard try Removal.isConfirmed(of: path, for: invocation) else { return .success }
        try NodeClient(for: invocation).put(.null, at: path)
        return .success
    }
}

/// The confirmation of commands that remove all data.
enum Removal {
    static let force = Option(
        flag: "force",
        "Remove / without a confirmation. Without this, the command asks at a terminal.")

    /// Whether a command may remove a location: any below the root, and the root by `--force` or a confirmation.
    ///
    /// - Throws: a usage error if a confirmation is needed and no terminal is there to ask for it.
    static func isConfirmed(
        of path: Path, for invocation: Invocation
    ) throws(CommandError) -> Bool {
        if path != .root || invocation.has(force) { return true }
        let database = try NodeOptions.database(of: invocation).subject
        let isConfirmed = try Confirmation("This removes all data of \(database). Remove it?").ask(
            otherwise: CommandError(
                .usage, "hearth \(invocation.verb.name) / removes all data of \(database)",
                fix: "add --force to remove it without a question, or name a path below /"))
        if !isConfirmed { Terminal.standardError.print("nothing is removed") }
        return isConfirmed
    }
}
