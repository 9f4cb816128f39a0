internal import ClusterAdministration
internal import CommandLineKit

extension Verb {
    static let remove = Verb(
        "remove", "Removes what is at a path.",
        arguments: [DataArguments.path], options: NodeClient.writeOptions,
        examples: ["hearth remove /rooms/lobby --node http://127.0.0.1:7001"]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        try NodeClient(for: invocation).put(.null, at: path)
        return .success
    }
}
