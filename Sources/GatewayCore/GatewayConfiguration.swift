public import HTTPText
public import SyncProtocol
public import Tokens

/// The permissions and limits of a gateway.
public struct GatewayConfiguration: Sendable {
    /// The names of this server, beside `localhost` and addresses.
    public var hosts: [String] = []
    /// The origins of web pages that may send requests, beside those of this machine and of this server.
    public var origins: [String] = []
    /// The limits of a request; `bodyBytes` is the size of the largest body.
    public var limits = HTTPLimits()
    /// How long a connection may take.
    public var deadlines = DeadlinePolicy()
    /// How long a client may take for a part of an answer before its connection is closed.
    public var partMilliseconds: UInt64 = 60_000
    /// How often a stream of events says that it is alive.
    public var keepAliveMilliseconds: UInt64 = 30_000
    /// The memory for all bodies that are not complete, and as much again for what waits in sessions that poll.
    public var bodiesBytes = 256 << 20
    /// How long what belongs to a session with long polls may take.
    public var polls = LongPollTimes()
    /// The largest message of a WebSocket.
    public var messageBytes = 16 << 20
    /// The memory for all messages of WebSockets that are not complete: once for Firebase's clients, and what waits for them,
    /// and once for native ones.
    public var messagesBytes = 128 << 20
    /// The parts in which large answers leave.
    public var parts = PartSizes()
    /// If more waits for a client, its listens pause until all of it is sent.
    public var backpressureBytes = 1 << 20
    /// The memory for what waits for all slow clients together.
    public var waitingBytes = 512 << 20
    /// How many connections there may be, and how many sessions that poll.
    public var connectionLimit = 10_000
    /// How many connections there may be from one other machine.
    public var connectionLimitPerHost = 500

    /// The meaning of a database name that the node does not have.
    public var unknownDatabases = UnknownDatabases.useDefault
    /// Whether the node may lack databases of its peers until `knowsDatabases`; until then it refuses unknown names for a while.
    public var awaitsDatabases = false
    /// The most databases of a node, besides the default one.
    public var databaseLimit = 1_000

    /// The limits of databases in the configuration.
    public var databaseLimits = DatabaseLimitTable()

    /// Administrators' secrets. Without secrets and tokens, each client is an administrator.
    public var secrets: SecretHashes?
    /// Monitors' secrets: they show the status of nodes, and no data.
    public var monitorSecrets: SecretHashes?
    /// The trusted issuers of tokens; nil without tokens.
    public var tokens: TokenTrust?
    /// Whether everything is open until the cluster has rules, and reports are for all clients, as in Firebase's emulator.
    public var isEmulator = false
    /// How many tokens are remembered as verified, at least, so that they need not be verified each time; twice as many at most.
    public var rememberedTokens = 1_000
    /// A secret text with at least 128 random bits, new for each incarnation of a node. The names of sessions are
    /// derived from it.
    public var nameSeed = ""
    /// The console that browsers are served; nil without one.
    public var console: Console?
    /// The host to which clients of Firebase's protocol go once this node stops; nil if they are only disconnected.
    public var redirectHost: String?
    /// The hosts and ports at which clients reach the nodes, by the names of the nodes.
    public var clientHosts: [String: String] = [:]

    /// A configuration that permits pages and names of this machine alone.
    public init() {}
}
