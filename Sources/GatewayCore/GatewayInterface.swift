public import DataTree
public import Rules
public import SyncProtocol
public import Tokens

/// An input of a gateway. A turn begins, processes its inputs, and ends.
public enum GatewayInput: Equatable, Sendable {
    case turnBegan(Moment)
    /// A program has connected to the HTTP port. The number of its connection is, from its first request on, the
    /// number of its session at the replica too.
    case opened(SessionID, from: RemoteAddress)
    /// Bytes that arrived, in order; any split.
    case received(SessionID, [UInt8])
    /// A text message of a native client, which the driver has read; the frames before it have reached the replica.
    case credential(SessionID, [UInt8])
    /// Much of what was sent to a connection has not left the process yet.
    case backpressured(SessionID)
    /// All bytes sent to a connection have left the process. It follows `backpressured`, and the output `reportWritable`.
    case writable(SessionID)
    /// The connection has ended, or the driver has cut it.
    case closed(SessionID)
    /// The replica's answers of one turn to a session of values, in order.
    case answered(SessionID, [SessionAnswer])
    /// From now on these tokens are trusted: an issuer has other keys. Tokens of keys that are gone end at once, as if they
    /// had expired. A gateway without tokens has none later either.
    case trusts(TokenTrust)
    /// Whether the replica of a database has rules. Clients without a credential are then users there, too.
    case hasRules(Bool, of: DatabaseName = .default)
    /// The node has this database.
    case hasDatabase(DatabaseName)
    /// The place of a database has changed. `here` means the same as `hasDatabase`. Otherwise its sessions end, and their clients
    /// connect to a node that holds it.
    case located(DatabaseName, DatabasePlace)
    /// The nodes that hold this database, and whether the node knows that all of them hold the same operations durably.
    case placed(DatabaseName, DatabasePlacement, isCopied: Bool)
    /// Another placement of this database was decided for the same epoch. No node serves it until a later one is `placed`.
    case contested(DatabaseName, by: DatabasePlacement)
    /// The nodes of the cluster, and those of them that are evicted.
    case members([String], evicted: [String])
    /// The files of databases that the node keeps aside.
    case kept([KeptDatabase])
    /// The node reaches these other nodes, and no others. Clients are redirected to them before others.
    case reaches([String])
    /// This database was removed. Its name is not used again.
    case removed(DatabaseName)
    /// The node has the databases of the peers that it reaches.
    case knowsDatabases
    /// The catalog has these limits of a database.
    case limits(DatabaseName, DatabaseLimits)
    /// The use of all databases, after `reportUses`.
    case uses([DatabaseUse])
    /// The present statuses of the other nodes, after `reportPeers`.
    case peers([PeerReport])
    /// The progress of the backup that a connection has requested.
    case backedUp(SessionID, BackupEvent)
    /// The node cannot serve the sessions of this database, for this reason. They end; later ones may be served.
    case lost(DatabaseName, reason: String)
    /// Whether the node serves, and if not, why.
    case became(Availability)
    /// How long a turn of the node took.
    case turnTook(nanoseconds: UInt64)
    case turnEnded
}

/// A task of a gateway's driver; the driver executes them in order.
public enum GatewayOutput: Equatable, Sendable {
    /// Send bytes to a connection, after all earlier ones.
    case send(SessionID, [UInt8])
    /// Report `writable` once all bytes sent to a connection have left the process, be it at once.
    case reportWritable(SessionID)
    /// Close a connection once everything sent to it has left, or after some seconds. Input is dropped until the
    /// client has closed its side; otherwise a client that is still sending would lose the answer.
    case close(SessionID)
    /// The session that begins next under this number concerns this database, and not the default one.
    case enter(SessionID, DatabaseName)
    /// Remove this database.
    case remove(DatabaseName)
    /// Report the use of all databases by `uses` at once.
    case reportUses
    /// Report the present statuses of the other nodes by `peers` at once, and request the next ones.
    case reportPeers
    /// Write a backup of databases, and report it by `backedUp`.
    case backUp(SessionID, NodeBackup)
    /// Go on with a backup: the client has received its last piece.
    case continueBackup(SessionID)
    /// End a backup, unless it has ended: its client is gone.
    case endBackup(SessionID)
    /// Open a session of values at the replica.
    case open(SessionID)
    /// Announce the principal of a session to the replica: before its first request, before it becomes the session
    /// of a native client, and after each change.
    case identify(SessionID, Principal)
    /// Hand requests to the replica.
    case ask(SessionID, [ClientMessage])
    /// From here on a native client speaks: each message of its WebSocket, whose first bytes these are, is a frame for the
    /// replica. The driver reads them itself, and reports `closed` at the end.
    case native(SessionID, rest: [UInt8])
    /// Tell the replica that a session reads too slowly.
    case backpressured(SessionID)
    /// Tell the replica that such a session has room again.
    case writable(SessionID)
    /// End a session at the replica: its on-disconnect writes are due.
    case end(SessionID)
    /// Begin a turn in so many milliseconds, whatever happens until then; of several such outputs, the first is enough.
    case wake(afterMilliseconds: UInt64)
    /// Write a line to the node's log.
    case log(String)
    /// Log a request that was refused before the replica could see it.
    case refused(GatewayRefusal)
}

/// A request that the gateway refused, for the log of the node. It has no credential.
public struct GatewayRefusal: Equatable, Sendable {
    /// The address of the client.
    public let host: String
    /// As in `PUT /rooms/lobby.json`, without parameters.
    public let request: String
    /// The status of the answer.
    public let status: Int
    /// The problem. The client learns no more than that it may do nothing if there is no such database.
    public let problem: String
}

/// The status of another node, which the console shows.
public struct PeerReport: Equatable, Sendable {
    /// The node.
    public let node: String
    /// A `NodeStatus`, which another version of Hearth may have made.
    public let status: Value
    /// The time since it came.
    public let ageMilliseconds: UInt64

    /// A status that came a while ago.
    public init(of node: String, _ status: Value, ageMilliseconds: UInt64) {
        (self.node, self.status, self.ageMilliseconds) = (node, status, ageMilliseconds)
    }
}

/// From where a connection comes, as far as rules depend on it.
public struct RemoteAddress: Equatable, Sendable {
    /// The address without the port, as text.
    public var host: String
    /// Whether it is this machine.
    public var isLoopback: Bool

    /// An address.
    public init(host: String, isLoopback: Bool) {
        self.host = host
        self.isLoopback = isLoopback
    }
}

/// Whether a node serves clients.
public enum Availability: Equatable, Sendable {
    case serving
    /// The replica is asked, and refuses what it cannot do for this reason, such as `disk full` or `evicted`.
    case impaired(reason: String)
    /// Requests are refused with this reason, such as `starting`, `catching up` or `stopping`.
    case unavailable(reason: String)
    /// A node without its latest disk waits for these nodes. The replica is asked if it serves.
    case waiting(for: [String], isServing: Bool)

    /// Creates the health of a node from its state: running or ended, serving or starting, with a failed disk, or
    /// evicted.
    ///
    /// - Parameter awaited: The members that a node without its latest disk waits for.
    public init(
        isRunning: Bool, isServing: Bool, awaited: [String] = [], storageTrouble: StorageTrouble?,
        isEvicted: Bool
    ) {
        self =
            if !isRunning {
                .unavailable(reason: "stopping")
            } else if !isServing {
                awaited.isEmpty
                    ? .unavailable(reason: "starting") : .waiting(for: awaited, isServing: false)
            } else if let storageTrouble {
                .impaired(reason: storageTrouble.rawValue)
            } else if isEvicted {
                .impaired(reason: "evicted")
            } else {
                awaited.isEmpty ? .serving : .waiting(for: awaited, isServing: true)
            }
    }

    /// Whether the replica is asked.
    var servesClients: Bool {
        switch self {
        case .serving, .impaired, .waiting(for: _, isServing: true): true
        case .unavailable, .waiting(for: _, isServing: false): false
        }
    }

    /// Why the node does not serve without limits; nil if it does.
    ///
    /// - Parameter names: Whether the reader may learn the names of nodes.
    package func reason(withNames names: Bool) -> String? {
        switch self {
        case .serving: nil
        case .impaired(let reason), .unavailable(let reason): reason
        case .waiting(let nodes, _):
            "waiting for " + (names ? nodes.joined(separator: ", ") : "other nodes")
        }
    }
}

/// The reason why a node's database accepts no writes, as `/health` reports it.
public enum StorageTrouble: String, Sendable {
    case refusesWrites = "the disk accepts no writes"
    case isMissing = "the database was deleted or moved"
}
