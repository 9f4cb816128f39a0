internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import QueryEngine
internal import Threads

extension Verb {
    private static let events = Option(
        "events", "KIND",
        "The kind of events: child (added, changed, moved, removed), value (the whole value "
            + "each time) or all; child by default.", values: .oneOf(["child", "value", "all"]))
    private static let count = Option("count", "N", "Stop after N events.")

    static let watch = Verb(
        "watch",
        "Prints the events at a path until Ctrl-C, as one JSON object for each line. Reports "
            + "on standard error when it loses its node, and to which node it connects then.",
        arguments: [DataArguments.path],
        options: [events, count, DataArguments.priorities] + QueryOptions.all
            + NodeClient.options,
        examples: [
            "hearth watch /posts --order-by child:stars --limit-to-last 3 --events all --node n1",
            "hearth watch /rooms/lobby/messages --node http://127.0.0.1:7001",
            "hearth watch /rooms/lobby/title --events value --count 1 --node n2 --dir demo",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let query = try QueryOptions.query(of: invocation)
        let count = try invocation.integer(count, in: 1...Int.max)
        let kinds: ViewEvent.Kinds =
            switch invocation[events] {
            case "value": .value
            case "all": .all
            default: .children
            }
        let client = try NodeClient(for: invocation)
        try client.requireNode()
        StopRequest.watch()
        let reporter = ContactReporter(of: client.link)
        defer { reporter.end() }
        let writer = EventWriter(form: invocation.has(DataArguments.priorities) ? .export : .plain)
        return try EventPrinter(writer: writer, limit: count).run(
            client, at: path, to: query, for: kinds)
    }
}

/// Prints events until there were enough of them, or the node ends the listen.
private struct EventPrinter {
    private enum End {
        case enough
        case interrupted
        case refused(HearthError)
    }

    let writer: EventWriter
    let limit: Int?

    func run(
        _ client: NodeClient, at path: Path, to query: Query, for kinds: ViewEvent.Kinds
    ) throws(CommandError) -> ExitStatus {
        let end = Monitor<(printed: Int, end: End?)>((0, nil))
        let listen = client.connection.listen(
            at: path, to: query, for: kinds
        ) { [writer, limit] events in
            end.withLock { state in
                for event in events where state.end == nil {
                    StandardOutput.shared.write(writer.line(for: event))
                    state.printed += 1
                    if state.printed == limit { state.end = .enough }
                }
                StandardOutput.shared.flush()
            }
            end.signal()
        } ended: { error in
            end.withLock { $0.end = .refused(error) }
            end.signal()
        }
        defer { client.connection.unlisten(listen) }
        var outcome: End?
        while outcome == nil {
            outcome = end.wait(upTo: NodeWait.slice) { $0.end }
            if outcome == nil, StopRequest.isThere { outcome = .interrupted }
            StandardOutput.shared.endWithoutReader()
        }
        switch outcome {
        case .enough, nil: return .success
        case .interrupted: return .interrupted
        case .refused(let error): throw CommandError(error)
        }
    }
}
