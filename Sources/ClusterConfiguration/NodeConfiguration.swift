public import QueryEngine
internal import Sockets
public import SyncProtocol
public import ZeroMQ

/// Describes a cluster: its nodes, their endpoints, and their guarantees.
///
/// All nodes of a cluster read the same description; `NodeConfiguration(contentsOf:)` reads it from
/// a file.
public struct NodeConfiguration: Equatable, Sendable {
    /// One node of the cluster and its three endpoints, such as `tcp://127.0.0.1:7402` or `tcp://db1.example.com:7402`.
    public struct Member: Equatable, Sendable {
        /// A short name: letters, digits, `-` and `_`.
        public var id: String
        /// The address for clients: `http://127.0.0.1:7400`, or `https://127.0.0.1:7400` with a certificate.
        /// `#sha256=…` after it is the certificate's fingerprint.
        public var client: String
        /// The endpoint that answers other nodes.
        public var requests: String
        /// The endpoint that publishes to other nodes.
        public var updates: String
        /// The key by which other nodes authenticate it; with it, its connections with them are encrypted.
        public var publicKey: PublicKey?

        /// The host, and maybe a port, by which clients of Firebase's protocol reach it from anywhere: `db1.example.com`.
        public var publicHost: String?
        /// The address of this machine at which the node listens; nil for that of its endpoints.
        public var listen: String?
        /// By which addresses other nodes reach it, by their names; nodes without an entry use its own endpoints.
        public var routes: [String: PeerRoute] = [:]

        package init(
            id: String, client: String, requests: String, updates: String,
            publicKey: PublicKey? = nil, publicHost: String? = nil
        ) {
            self.id = id
            self.client = client
            self.requests = requests
            self.updates = updates
            self.publicKey = publicKey
            self.publicHost = publicHost
        }

        /// The name of the public host, without its port.
        public var publicName: String? { publicHost.map { String($0.prefix { $0 != ":" }) } }

        /// The host and the port at which clients reach it: the public host, else that of the address for clients.
        public var clientHost: String? { publicHost ?? HTTPAddress(client)?.authority }

        /// The name in the address for clients; nil for an address in numbers.
        public var clientName: String? {
            HTTPAddress(client).flatMap { $0.isNumeric ? nil : $0.host }
        }

        /// The route by which a peer reaches this node: the peer's own route if it has one.
        public func route(from peer: String) -> PeerRoute {
            routes[peer] ?? PeerRoute(requests: requests, updates: updates)
        }

        var endpoints: [String] { [client, requests, updates] }
    }

    /// Nodes of different clusters do not talk to each other.
    public var cluster: String
    package var durability: Durability
    /// The folder under which each node has its own.
    public var directory: String
    package var nodes: [Member]
    /// Lists whose indexes stay once they are built.
    public var indexes = IndexRules()
    /// Memory that the indexes of a node may take together.
    public var indexMegabytes = 256
    /// Whether nodes refuse queries by an order that neither `indexes` nor the rules of the cluster name.
    public var strictIndexes = false
    /// A log with more operations does not wait for absent nodes, if a majority of all nodes holds them. With twice
    /// as many it does not wait for slow nodes either; they receive a checkpoint.
    public var logLimit = 10_000_000
    /// The policy of an evicted node for its orphaned operations.
    public var evicted = OrphanPolicy.replay
    /// How long after its stamp nodes accept a client's write.
    public var retryWindowMilliseconds = 5_000
    /// The settings of the ports for clients, besides their addresses.
    public var http = HTTPSettings()
    /// The SHA-256 hashes of administrators' secrets; without any, and without tokens, each client is an administrator.
    public var secrets: [[UInt8]] = []
    /// The SHA-256 hashes of monitors' secrets, which show the status of nodes and no data.
    public var monitorSecrets: [[UInt8]] = []
    /// The trusted issuers of tokens.
    public var tokens = TokenSettings()
    /// Whether the cluster behaves as Firebase's emulator: everything is open until rules are installed, tokens need no signature,
    /// and `owner` shows an administrator.
    public var isEmulator = false

    /// The meaning of a database name that the cluster does not have.
    public var unknownDatabases = UnknownDatabases.useDefault
    /// The log of each node.
    public var log = LogSettings()

    /// The limits of databases.
    public var databaseLimits = DatabaseLimitTable()

    /// The most named databases of a node.
    public var maxDatabases = 1_000

    /// After how many seconds without clients a named database sleeps; 0 if none sleeps.
    public var databaseSleepSeconds = 60
    /// After so long a silence of a node, the others do the on-disconnect writes of its clients; never for 0.
    public var presenceSeconds = 30

    package init(
        cluster: String, durability: Durability, directory: String, nodes: [Member]
    ) {
        self.cluster = cluster
        self.durability = durability
        self.directory = directory
        self.nodes = nodes
    }

    /// The most secrets of administrators, or of monitors, that a cluster has.
    public static let secretLimit = 64

    /// After how long without clients a named database sleeps; nil if none sleeps. Databases in memory have nothing from which
    /// they could wake.
    public var sleepMilliseconds: UInt64? {
        guard durability != .memory, databaseSleepSeconds > 0 else { return nil }
        return UInt64(databaseSleepSeconds) * 1_000
    }

    /// Whether connections between nodes are encrypted and checked.
    public var hasKeys: Bool { nodes.contains { $0.publicKey != nil } }

    /// Finds a node by its name.
    ///
    /// - Throws: when there is no such node, naming the nodes there are.
    public func member(_ id: String) throws(NodeError) -> Member {
        if let member = nodes.first(where: { $0.id == id }) { return member }
        throw NodeError(
            problem: "cluster \(cluster) has no node \(id)",
            fix: "use one of \(nodes.map(\.id).joined(separator: ", "))")
    }

    /// The host to which a stopping node redirects clients of Firebase's protocol: the public host of the next node
    /// that has one.
    public func publicHost(after id: String) -> String? {
        guard let index = nodes.firstIndex(where: { $0.id == id }) else { return nil }
        let others = nodes[(index + 1)...] + nodes[..<index]
        return others.lazy.compactMap(\.publicHost).first
    }

    /// The folder of a node: its database, and with `hearth cluster` its log.
    public func folder(of id: String) -> String { directory + "/" + id }
}

/// From where a node can be reached without encryption and authentication: only from this machine by default.
public enum Exposure: Sendable {
    case loopback
    case network
}
