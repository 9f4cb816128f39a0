internal import JSONText

extension Verb {
    private static let pretty = Option(flag: "pretty", "Indent the JSON.")

    static let get = Verb(
        "get", "Reads the value at a path and prints it as JSON.",
        arguments: [DataArguments.path],
        options: [pretty, DataArguments.priorities] + NodeClient.options,
        examples: [
            "hearth get /rooms/lobby --node tcp://127.0.0.1:7001",
            "hearth get /rooms --pretty --node n2 --dir demo",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let value = try NodeClient(for: invocation).get(path)
        StandardOutput.shared.print(
            JSONWriter.text(
                of: value, form: invocation.has(DataArguments.priorities) ? .export : .plain,
                layout: invocation.has(pretty) ? .pretty : .compact))
        return .success
    }
}
