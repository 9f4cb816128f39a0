internal import ClusterAdministration
internal import CommandLineKit

extension Verb {
    private static let force = Option(
        flag: "force", "Remove / without a question; without this, the command asks at a terminal.")

    static let remove = Verb(
        "remove", "Removes what is at a path. To remove /, it asks for a confirmation.",
        arguments: [DataArguments.path], options: [force] + NodeClient.writeOptions,
        examples: [
            "hearth remove /rooms/lobby --node http://127.0.0.1:7001", "hearth remove / --force",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        if path == .root, !invocation.has(force), try !isConfirmed() {
            Terminal.standardError.print("nothing is removed")
            return .success
        }
        try NodeClient(for: invocation).put(.null, at: path)
        return .success
    }

    private static func isConfirmed() throws(CommandError) -> Bool {
        try Confirmation("This removes all data of the cluster. Remove it?").ask(
            otherwise: CommandError(
                .usage, "hearth remove / removes all data of the cluster",
                fix: "add --force to remove it without a question, or name a path below /"))
    }
}
