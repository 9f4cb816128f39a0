internal import ClusterAdministration
internal import CommandLineKit
internal import JSONText

extension Verb {
    private static let pretty = Option(flag: "pretty", "Indent the JSON.")
    private static let shallow = Option(
        flag: "shallow",
        "Show an object with the keys, and with true instead of each child that is an object. For "
            + "large lists, which are read 10,000 children at a time.")
    private static let stable = Option(
        flag: "stable",
        "Wait until all earlier writes, of all nodes, have arrived at the answering node.")

    static let get = Verb(
        "get", "Reads the value at a path and prints it as JSON.",
        arguments: [DataArguments.path],
        options: [pretty, DataArguments.priorities, shallow, stable]
            + NodeClient.options(waiting: "5, or 60 with --stable"),
        examples: [
            "hearth get /rooms/lobby --node http://127.0.0.1:7001",
            "hearth get /rooms --pretty --node n2 --dir demo",
            "hearth get /rooms --shallow",
            "hearth get /rooms/lobby --stable --timeout 60",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let client =
            invocation.has(stable)
            ? try NodeClient(stableFor: invocation) : try NodeClient(for: invocation)
        let value =
            invocation.has(shallow)
            ? try client.listing(of: path).shallowValue : try client.get(path)
        // A list would be an array, with null for absent keys, so that scripts count wrongly.
        let isObject = invocation.has(DataArguments.priorities) || invocation.has(shallow)
        StandardOutput.shared.print(
            JSONWriter.text(
                of: value, form: isObject ? .export : .plain,
                layout: invocation.has(pretty) ? .pretty : .compact))
        return .success
    }
}
