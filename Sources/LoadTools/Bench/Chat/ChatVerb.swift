internal import ClusterAdministration
internal import CommandLineKit

extension Verb {
    private static let nodes = Option(
        "nodes", "NUMBER", "How many nodes the cluster has, which share the clients; 3.")
    private static let clients = Option(
        "clients", "NUMBER", "How many clients are in the room, 50 of which write; 1000.")
    private static let messages = Option(
        "messages", "NUMBER", "How many messages are written; 400.")
    private static let rate = Option("rate", "NUMBER", "How many messages a second; 20.")
    private static let listenProtocol = Option(
        "protocol", "NAME", "How clients listen: \(ListenProtocol.names); native.")

    static let benchChat = Verb(
        "chat",
        "Runs a chat room: clients sign in, see the last 50 messages, and write by rules.",
        options: [NodeOptions.durability, nodes, clients, messages, rate, listenProtocol]
            + BenchReport.options,
        examples: [
            "hearth bench chat", "hearth bench chat --protocol events --html chat.html",
            "hearth bench chat --nodes 1 --clients 5000 --rate 5 --json",
        ]
    ) { (invocation) throws(CommandError) in
        let benchmark = ChatBenchmark(
            nodes: try invocation.integer(nodes, in: 1...9) ?? 3,
            clients: try invocation.integer(clients, in: 1...500_000) ?? 1_000,
            messages: try invocation.integer(messages, in: 1...1_000_000) ?? 400,
            messagesPerSecond: try invocation.integer(rate, in: 1...100_000) ?? 20,
            listenProtocol: try ListenProtocol(invocation, listenProtocol) ?? .native)
        let durability = invocation[NodeOptions.durability] ?? "commit"
        var report = BenchReport(invocation)
        report.begin("durability \(durability); latencies in microseconds")
        report.show(try benchmark.run(durability: durability).fields)
        return try report.end()
    }
}

extension ChatBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("work", "work", "W6"), .name("durability", "durability", durability),
            .name("protocol", "protocol", listenProtocol.rawValue),
            .whole("nodes", "nodes", Double(nodes)),
            .whole("clients", "clients", Double(clients)),
            .fraction("sign-in s", "signInSeconds", signInSeconds),
            .fraction("messages/s", "messagesPerSecond", messagesPerSecond),
        ] + BenchReport.Field.latencies("ack", "ack", acknowledgements)
            + BenchReport.Field.latencies("event", "event", events) + [
                .fraction("CPU us/event", "serverCPUMicrosecondsPerEvent", microsecondsPerDelivery),
                .whole("peak MB", "peakMegabytes", peakMegabytes),
            ]
    }
}
