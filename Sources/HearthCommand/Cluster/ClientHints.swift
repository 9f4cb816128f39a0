internal import CommandLineKit
internal import Sockets

/// How each kind of client is pointed at a node: lines to copy.
struct ClientHints {
    /// The node's.
    let address: HTTPAddress

    /// One line for each kind of client.
    var lines: [(client: String, line: String)] {
        let (host, port, authority) = (address.host, address.port, address.authority)
        let general: [(client: String, line: String)] = [
            ("browser", "\(address.location)/"),
            ("hearth", "hearth get / --node \(address)"),
            ("curl", "curl \(address)/.json"),
            ("JavaScript", #"connectDatabaseEmulator(getDatabase(app), "\#(host)", \#(port))"#),
            (
                "admin SDKs",
                "FIREBASE_DATABASE_EMULATOR_HOST=\(authority), database URL \(address)?ns=default"
            ),
        ]
        let mobile: [(client: String, line: String)] = [
            ("iOS", #"Database.database().useEmulator(withHost: "\#(host)", port: \#(port))"#),
            (
                "Android",
                #"FirebaseDatabase.getInstance().useEmulator("\#(androidHost(host))", \#(port))"#
            ),
            ("Flutter", "FirebaseDatabase.instance.useDatabaseEmulator('\(host)', \(port))"),
        ]
        return general + goLines + mobile
    }

    /// The SDK for Go alone takes an address without a scheme.
    private var goLines: [(client: String, line: String)] {
        address.goAuthority.map { [("Go admin", #"DatabaseURL: "\#($0)?ns=default""#)] } ?? []
    }

    /// Writes the lines, which are for people, to standard error.
    func print(of node: String) {
        let terminal = Terminal.standardError
        terminal.print("clients reach \(node) like this, and other nodes by their addresses:")
        for (client, line) in lines {
            let padding = String(repeating: " ", count: 12 - client.count)
            terminal.print("  \(terminal.coloured(client, .cyan))\(padding)\(line)")
        }
    }

    /// Android's emulator reaches its host's loopback under an address of its own.
    private func androidHost(_ host: String) -> String {
        host == "127.0.0.1" || host == "localhost" ? "10.0.2.2" : host
    }
}

extension HTTPAddress {
    /// The host and the port as the admin SDK for Go reads them without TLS: it takes the beginning of a numerical address for a
    /// scheme, and refuses it. Nil for such an address of another machine.
    var goAuthority: String? {
        if host == "127.0.0.1" || host == "::1" { return "localhost:\(port)" }
        let isNumerical = host.contains(":") || host.first?.isNumber == true
        return isNumerical ? nil : "\(host):\(port)"
    }
}
