internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import QueryEngine

extension Verb {
    static let query = Verb(
        "query",
        "Prints the children at a path that a query selects, in order, as one JSON object for "
            + "each line.",
        arguments: [DataArguments.path],
        options: QueryOptions.all + [DataArguments.priorities] + NodeClient.options,
        examples: [
            "hearth query /posts --order-by child:metrics/views --limit-to-last 3 --node n1",
            "hearth query /posts --order-by key --start-after '\"-Oe3\"' --limit-to-first 100",
            "hearth query /scores --order-by value --start-at 10 --end-before 20",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let query = try QueryOptions.query(of: invocation)
        let value = try NodeClient(for: invocation).get(path, query)
        let form: JSONWriter.Form = invocation.has(DataArguments.priorities) ? .export : .plain
        for (key, child) in value.children.ordered(by: query.order) {
            StandardOutput.shared.write(line(key, child, form))
        }
        StandardOutput.shared.flush()
        return .success
    }

    /// `{"key":"a","value":1}` and the end of the line.
    private static func line(_ key: Key, _ child: Value, _ form: JSONWriter.Form) -> [UInt8] {
        var line = Array(#"{"key":"#.utf8)
        var name = JSONWriter(.string(key.text))
        name.write(to: &line)
        line += #","value":"#.utf8
        var data = JSONWriter(child, form: form)
        data.write(to: &line)
        line += "}\n".utf8
        return line
    }
}
