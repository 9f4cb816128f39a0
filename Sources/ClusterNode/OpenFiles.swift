internal import CRuntime
internal import ClusterConfiguration
internal import Glibc

/// The descriptors that this process may have open at once; each connection needs one.
struct OpenFiles {
    /// More than a node ever needs; the hard limit is usually smaller.
    private static let wanted = 4 * HTTPSettings.connectionBound

    let limit: Int

    /// Checks that a node can open all that it needs besides the connections of its clients.
    ///
    /// ZeroMQ ends the process where it gets no file for a thread of its own.
    static func check(
        for member: String, of configuration: NodeConfiguration
    ) throws(NodeError) {
        let needed = needed(forPeers: configuration.nodes.count - 1)
        let limit = OpenFiles().limit
        guard limit < needed else { return }
        throw NodeError(
            problem:
                "\(member) may have \(limit) files and connections open, and needs \(needed) before its "
                + "first client",
            fix: "raise the limit: `ulimit -n 65536`, or LimitNOFILE=65536 in its unit")
    }

    /// The descriptors that a node opens for its database, its threads and its peers.
    private static func needed(forPeers peers: Int) -> Int { 40 + 7 * peers }

    /// How many connections clients may have, so that the database, peers and strangers at the ports for peers leave them
    /// enough descriptors.
    func clientLimit(forPeers peers: Int) -> Int { max(16, limit - Self.reserved(forPeers: peers)) }

    private static func reserved(forPeers peers: Int) -> Int {
        needed(forPeers: peers) + PeerConnections.unknownLimit + refusedClients
    }

    /// Why there is no room for so many connections of clients, and how to change that; nil if there is room.
    func shortage(forClients clients: Int, peers: Int) -> String? {
        let (room, needed) = (
            clientLimit(forPeers: peers), clients + Self.reserved(forPeers: peers)
        )
        guard room < clients else { return nil }
        return
            "accepts \(room) connections of clients instead of \(clients) (\"maxConnections\"), because it may have "
            + "\(limit) files and connections open; raise the limit to \(needed) (LimitNOFILE in its unit, `ulimit -n`)"
    }

    /// The number of connections beyond the limit of clients that receive an answer.
    static let refusedClients = 100

    /// How many are open at least; the limit where none is left.
    var count: Int {
        // The system assigns the lowest free number.
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return limit }
        close(file)
        return Int(file)
    }
}

extension OpenFiles {
    /// Raises the soft limit to the hard limit: a login often has 1024 at first.
    init() { self.init(limit: Int(clamping: hearth_allow_open_files(OpenFiles.wanted))) }
}
