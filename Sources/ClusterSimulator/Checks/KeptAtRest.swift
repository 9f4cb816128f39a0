import ClientCore
import NodeCore
import ReplicaCore

// The names of everything that may be kept at rest.

extension KeptState {
    /// The first unnecessary element in a replica, as "sessions.outbox.frames with 2"; nil if there is none.
    static func first(
        in replica: Replica, hasClients: Bool, hasRecords: Bool, hasPolls: Bool
    ) -> String? {
        var leftOut = hasClients ? ofServingReplica : ofReplica
        if hasRecords { leftOut.formUnion(["replication.disconnectRecords", "presence"]) }
        if hasPolls { leftOut.insert("sessions.slowClients") }
        return KeptState(of: replica, leavingOut: leftOut).first
    }

    /// The first element beside the replica of a node that is unnecessary at rest, with or without
    /// connections.
    static func first(in core: NodeCore) -> String? {
        KeptState(of: core, leavingOut: ofCore).first
    }

    /// The first unnecessary element in a client.
    static func first(in client: Client) -> String? {
        KeptState(of: client, leavingOut: client.isAwaiting ? ofListeningClient : ofClient).first
    }

    private var first: String? { kept.first.map { "\($0.name) with \($0.count)" } }

    /// Data, what is known of members, a comparison of trees, the last rules, names of the last transactions, rows and hashes of
    /// large values, whose number is bounded, and one count for each limit.
    private static let ofReplica: Set = [
        "configuration", "replication.configuration", "replication.tree",
        "replication.deduplicationTable", "replication.incarnations.writers",
        "replication.peers", "replication.refusals",
        "replication.rulesHistory", "turns.durable", "coordination.terms", "coordination.refused",
        "coordination.election",
        "checkpointAudit", "comparisons", "sessions.access", "sessions.listens.ruleset",
        "sessions.listens.indexRules", "sessions.listens.lists", "sessions.listens.root",
        "sessions.hashes.known", "sessions.limits", "sessions.requests", "sessions.quota.limits",
        "sessions.versionDelta",
    ]
    /// The same, and what there is of clients.
    private static let ofServingReplica = ofReplica.union([
        "sessions.listens", "sessions.clients", "sessions.outbox.listPlaces",
        "sessions.disconnects",
    ])
    private static let ofCore: Set = [
        "replica", "gateway.connections", "gateway.counts", "gateway.context.metrics",
        "gateway.context.hostRule", "gateway.context.configuration",
        "gateway.context.realtimeNames", "gateway.context.longPolls",
        "gateway.context.authentication",
        "gateway.context.databases", "gateway.context.databaseUses", "gateway.context.lasting",
        "gateway.context.routes", "gateway.context.reachedNodes", "livePeers", "limits",
    ]
    private static let ofClient: Set = ["configuration", "link", "requests.effects"]
    private static let ofListeningClient = ofClient.union([
        "tree.root", "tree.places", "tree.tags", "listeners", "subscriptions",
    ])
}
