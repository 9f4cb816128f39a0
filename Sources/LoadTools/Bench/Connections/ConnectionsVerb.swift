internal import CommandLineKit

extension Verb {
    private static let connections = Option(
        "connections", "NUMBER", "How many connections listen at the node; 10000.")
    private static let seconds = Option(
        "seconds", "NUMBER", "How long the connections are idle; 10.")
    private static let only = Option(
        "only", "PROTOCOL", "Only this protocol: \(ListenProtocol.names).")

    static let benchConnections = Verb(
        "connections",
        "Measures the memory and processor time of idle connections, and what other clients wait while all reconnect.",
        options: [connections, seconds, only] + BenchReport.options,
        examples: [
            "hearth bench connections",
            "hearth bench connections --connections 100000 --only native",
        ]
    ) { (invocation) throws(CommandError) in
        let benchmark = ConnectionsBenchmark(
            connections: try invocation.integer(connections, in: 1...500_000) ?? 10_000,
            idleSeconds: try invocation.integer(seconds, in: 1...86_400) ?? 10)
        let named = try ListenProtocol(invocation, only)
        var report = BenchReport(invocation)
        report.begin("one node; the longest waits of other clients, in milliseconds")
        for listenProtocol in named.map({ [$0] }) ?? ListenProtocol.allCases {
            report.show(try benchmark.run(listenProtocol).fields)
        }
        return try report.end()
    }
}

extension ListenProtocol {
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The protocol that an option names; nil without the option.
    init?(_ invocation: Invocation, _ option: Option) throws(CommandError) {
        guard let name = invocation[option] else { return nil }
        guard let named = ListenProtocol(rawValue: name) else {
            throw invocation.usageError(
                "--\(option.name) \(name) is no protocol",
                fix: "name one of \(ListenProtocol.names)")
        }
        self = named
    }
}

extension ConnectionsBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("protocol", "protocol", listenProtocol.rawValue),
            .whole("connections", "connections", Double(connections)),
            .fraction("connect s", "connectSeconds", connectSeconds),
            .fraction("KB each", "kilobytesPerConnection", kilobytes),
            .fraction("idle CPU %", "idleCPUPercent", idlePercent),
            .fraction("again s", "reconnectSeconds", reconnectSeconds),
            .whole("refused", "refused", Double(refused)),
            .fraction("get", "getMilliseconds", waits.get.milliseconds),
            .fraction("set", "setMilliseconds", waits.set.milliseconds),
            .fraction("health", "healthMilliseconds", waits.health.milliseconds),
            .whole("failed", "failed", Double(waits.failures)),
        ]
    }
}
