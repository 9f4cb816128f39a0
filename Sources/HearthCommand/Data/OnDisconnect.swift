internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc

extension Verb {
    private static let now = Option(
        "set", "JSON",
        "Write this value at once; otherwise the current value stays until the end of the "
            + "connection.")
    private static let duration = Option(
        "for", "SECONDS", "End after this time; otherwise with Ctrl-C.")

    static let onDisconnect = Verb(
        "on-disconnect",
        "Makes the node write a value when this command's connection ends, for any reason. "
            + "null removes. After a lost connection, the command registers the same write at the "
            + "next node, and writes --set again.",
        arguments: [DataArguments.path, DataArguments.json],
        options: [now, duration] + NodeClient.options,
        examples: [
            "hearth on-disconnect /online/ada null --set true --node n1",
            "hearth on-disconnect /seen/ada '{\".sv\":\"timestamp\"}' --for 60 --node n1",
        ]
    ) { (invocation) throws(CommandError) in
        let limit = try invocation.duration(duration)
        var presence = Presence(
            path: try invocation.location(),
            left: try parseJSON(try invocation.json(), from: "JSON"),
            present: try invocation[now].map { text throws(CommandError) in
                try parseJSON(Array(text.utf8), from: "--set")
            },
            client: try NodeClient(aloneFor: invocation))
        try presence.begin()
        StandardOutput.shared.print("connected")
        StandardOutput.shared.flush()
        StopRequest.watch()
        let reporter = ContactReporter(of: presence.client.link)
        defer { reporter.end() }
        let start = ContinuousClock.now
        // The connection has a thread of its own; this one only waits for the end, and for other connections.
        while !StopRequest.isThere, limit.map({ start.duration(to: .now) < $0 }) ?? true {
            usleep(50_000)
            try presence.renew()
        }
        presence.client.connection.close()
        return StopRequest.exitStatus
    }
}

/// The writes that a node executes when the connection ends. They are registered again with each connection, and
/// executed for one of them.
private struct Presence {
    let path: Path
    let left: Value
    let present: Value?
    let client: NodeClient
    /// The connection with which it is registered.
    private var contact = 0

    init(path: Path, left: Value, present: Value?, client: NodeClient) {
        self.path = path
        self.left = left
        self.present = present
        self.client = client
    }

    /// Connects and registers.
    mutating func begin() throws(CommandError) {
        try client.requireNode()
        contact = client.link.contactCount
        try register()
    }

    /// Registers with another connection, if there is one. If that is lost as well, the next one is the one.
    mutating func renew() throws(CommandError) {
        let current = client.link.contactCount
        guard current != contact else { return }
        do throws(CommandError) {
            try register()
            contact = current
        } catch {
            guard error.status == .unavailable || error.leavesWrite else { throw error }
        }
    }

    private func register() throws(CommandError) {
        _ = try client.execute(.onDisconnectPut(path, left))
        if let present { try client.put(present, at: path) }
    }
}
