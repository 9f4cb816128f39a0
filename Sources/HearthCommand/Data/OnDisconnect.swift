internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc

extension Verb {
    private static let now = Option(
        "set", "JSON", "Write this at once; otherwise the present value stays until then.")
    private static let duration = Option(
        "for", "SECONDS", "End after so long; otherwise with Ctrl-C.")

    static let onDisconnect = Verb(
        "on-disconnect",
        "Stays connected, and has the node write a value when the connection ends, however that "
            + "happens: null removes.",
        arguments: [DataArguments.path, DataArguments.json],
        options: [now, duration] + NodeClient.options,
        examples: [
            "hearth on-disconnect /online/ada null --set true --node n1",
            "hearth on-disconnect /seen/ada '{\".sv\":\"timestamp\"}' --for 60 --node n1",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let value = try parseJSON(try invocation.json(), from: "JSON")
        let limit = try invocation.duration(duration)
        let client = try NodeClient(aloneFor: invocation)
        _ = try client.perform(.onDisconnectPut(path, value))
        if let text = invocation[now] {
            try client.put(try parseJSON(Array(text.utf8), from: "--set"), at: path)
        }
        StandardOutput.shared.print("connected")
        StandardOutput.shared.flush()
        StopRequest.watch()
        let reporter = ContactReporter(of: client.link)
        defer { reporter.end() }
        let start = ContinuousClock.now
        // The connection has a thread of its own; this one only waits for the end.
        while !StopRequest.isThere, limit.map({ start.duration(to: .now) < $0 }) ?? true {
            usleep(50_000)
        }
        client.connection.close()
        return StopRequest.exitStatus
    }
}
