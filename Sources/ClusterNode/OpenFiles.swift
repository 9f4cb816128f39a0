internal import CRuntime
internal import ClusterConfiguration
internal import GatewayCore
internal import Glibc

/// The descriptors that this process may have open at once; each connection needs one.
struct OpenFiles {
    /// Room for all clients that a node takes.
    private static let wanted = 4 * GatewayConfiguration().connectionLimit

    let limit: Int

    /// Asks the system for as many as it allows: a login often has 1024 at first.
    init() { limit = Int(clamping: hearth_allow_open_files(OpenFiles.wanted)) }

    /// Checks that a node can open all that it needs besides the connections of its clients.
    ///
    /// ZeroMQ ends the process where it gets no file for a thread of its own.
    static func check(for member: String, peers: Int) throws(NodeError) {
        let (limit, needed) = (OpenFiles().limit, needed(forPeers: peers))
        guard limit < needed else { return }
        throw NodeError(
            problem:
                "\(member) may have \(limit) files and connections open, and needs \(needed) before its "
                + "first client",
            fix: "raise the limit: `ulimit -n 65536`, or LimitNOFILE=65536 in its unit")
    }

    /// The descriptors that a node opens for its database, its threads and its peers.
    private static func needed(forPeers peers: Int) -> Int { 40 + 6 * peers }

    /// How many connections clients may have, so that the database, peers and strangers at the ports for peers leave them
    /// as many descriptors.
    static func clientLimit(forPeers peers: Int) -> Int {
        let reserved = needed(forPeers: peers) + PeerConnections.unknownLimit + refusedClients
        return max(16, OpenFiles().limit - reserved)
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
