internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import JSONText

extension Verb {
    private static let file = Argument(
        "FILE", "The file to write; - is standard output.", values: .file)
    private static let pretty = Option(flag: "pretty", "Indent the JSON.")

    static let export = Verb(
        "export",
        "Writes the value at a path to a JSON file that `hearth import` can read. A large "
            + "value is read in pieces, so writes made meanwhile may be included in part.",
        arguments: [DataArguments.path, file],
        options: [pretty] + NodeClient.options(waiting: "30"),
        examples: [
            "hearth export /languages languages.json --node n2 --dir demo",
            "hearth export / - --node http://127.0.0.1:7001",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let client = try NodeClient(for: invocation, waiting: .seconds(30))
        StopRequest.watch()
        var reader = PieceReader { request throws(CommandError) in try client.answer(request) }
        let value = try reader.value(at: path)
        let file = try OutputFile(invocation[file])
        defer { file.discard() }
        // The plain form, with arrays, loses nothing unless there are priorities.
        var writer = JSONWriter(
            value, form: value.containsPriority ? .export : .plain,
            layout: invocation.has(pretty) ? .pretty : .compact)
        var progress = Progress(of: nil, "bytes")
        var written = 0
        var isUnfinished = true
        while isUnfinished {
            var bytes: [UInt8] = []
            isUnfinished = writer.write(to: &bytes, atLeast: 256 * 1024)
            if !isUnfinished { bytes.append(UInt8(ascii: "\n")) }
            try file.write(bytes)
            if StopRequest.isThere { throw interrupted }
            written += bytes.count
            if !file.isStandardOutput { progress.show(written) }
        }
        try file.finish()
        if !file.isStandardOutput { progress.finish(written) }
        return .success
    }

    private static let interrupted = CommandError(
        .interrupted, "interrupted; the file is unchanged", fix: "export again")
}

extension Value {
    /// - Complexity: O(size).
    var containsPriority: Bool {
        switch self {
        case .prioritized: true
        case .object(let children): children.contains { $0.value.containsPriority }
        default: false
        }
    }
}
