public import GatewayCore
public import ReplicaCore
public import SyncProtocol

/// An input of a node. A turn begins, processes its inputs in the order of their arrival, and ends.
public enum NodeInput: Sendable {
    case turnBegan(Moment)
    /// A frame of a peer or of a native client, the state of a native client, or a result of the disk. Results of the disk name
    /// their database. The core itself finds the database of frames and of clients.
    case replica(Input, of: DatabaseIndex = .default)
    /// The turn with this number is durable, between turns at this moment.
    case stored(turn: UInt64, at: Moment, of: DatabaseIndex = .default)
    /// `opened`, `received`, `credential` or `closed` of a connection to the HTTP port, `trusts` or `turnTook`. The core itself
    /// passes the other inputs of a gateway.
    case gateway(GatewayInput)
    /// So many bytes sent to a connection have not left the process. To be passed when the driver has sent what a turn
    /// brought, when much waits, and when all has left; between turns, too.
    case unsent(SessionID, bytes: Int)
    case turnEnded
    /// Ends the last turn, instead of `turnEnded`. Sessions end, and the replica executes what they left to do. From then on
    /// it gets only `stored`.
    case stopped
}

extension NodeInput {
    /// Whether the input has to arrive in a turn.
    public var needsTurn: Bool {
        switch self {
        case .stored, .unsent, .gateway(.turnTook): false
        case .turnBegan, .replica, .gateway, .turnEnded, .stopped: true
        }
    }
}

/// An effect that a driver executes for a node, in order.
public enum NodeOutput: Equatable, Sendable {
    /// An effect at the disk of a database, at a peer or at a native client. The gateway has the answers of `replyMessages`
    /// already.
    case replica(Output, of: DatabaseIndex = .default)
    /// Open a database, or create it, and call `open(_:_:)` or `failToOpen(_:because:)` of the core.
    case openDatabase(DatabaseIndex, DatabaseName)
    /// Close a database whose turns are all durable, and call `didClose(_:)` of the core once its files are closed.
    case closeDatabase(DatabaseIndex)
    /// Record durably, before the effects that follow, that a database was removed, and delete its files: at once, or when it is
    /// closed. The node may not have the database.
    case removeDatabase(DatabaseName, DatabaseIndex?)
    /// Delete the files of a database that has moved to other nodes, which hold all of its operations. It is closed.
    case discardDatabase(DatabaseIndex, DatabaseName)
    /// Move the files of a database, which is closed, to a folder that no database reads, since they may have operations that no
    /// other node has. They were used last in this epoch. Until that has succeeded, the database must not be opened.
    case keepDatabase(DatabaseIndex, DatabaseName, epoch: UInt32)
    /// Record durably, before the effects that follow, in which placement the files of a database are used, for
    /// `addStoredDatabase`.
    case recordPlacement(DatabaseName, PlacementRecord)
    /// Record durably that the files of these databases, which are closed, lack their latest data, as `hearth restore` does: the
    /// disk of the default one was old.
    case distrustDatabases([DatabaseName])
    /// Write a backup for a connection, and pass its progress as `backedUp` to the gateway. It does not change the databases: one
    /// that sleeps is copied while the driver does not open it.
    case backUp(SessionID, BackupPlan)
    /// An effect at a connection to the HTTP port: `send`, `close` or `native`, at a backup, or at the log. After `reportWritable`, pass
    /// `unsent` at the end of the turn.
    case gateway(GatewayOutput)
    /// End a connection at once: its client reads too slowly.
    case cut(SessionID)
}

extension Input {
    /// The request of a gateway to the replica; nil for an effect at a connection, on time or on the log.
    init?(_ output: GatewayOutput) {
        switch output {
        case .open(let session): self = .opened(session)
        case .ask(let session, let messages): self = .requestedMessages(messages, by: session)
        case .backpressured(let session): self = .backpressured(session)
        case .writable(let session): self = .writable(session)
        case .end(let session): self = .closed(session)
        case .identify(let session, let principal): self = .identified(session, principal)
        case .enter, .remove, .reportUses, .reportPeers, .backUp, .continueBackup, .endBackup,
            .send,
            .reportWritable, .close, .native, .wake, .log,
            .refused:
            return nil
        }
    }
}
