internal import ClusterAdministration
internal import CommandLineKit

extension Verb {
    static let set = Verb(
        "set", "Replaces the value at a path. Asks for a confirmation before it sets / to null.",
        arguments: [DataArguments.path, DataArguments.json],
        options: [Removal.force] + NodeClient.writeOptions,
        examples: [
            "hearth set /rooms/lobby '{\"title\":\"Lobby\"}' --node http://127.0.0.1:7001",
            "hearth set /accounts/anna 100 --concern majority",
            "hearth set /rooms/lobby/opened '{\".sv\":\"timestamp\"}'",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let value = try parseJSON(try invocation.json(), from: "JSON")
        if value.isNull {
            guard try Removal.isConfirmed(of: path, for: invocation) else { return .success }
        }
        try NodeClient(for: invocation).put(value, at: path)
        return .success
    }
}
