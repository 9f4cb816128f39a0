import SyncProtocol

/// What makes one replica of a cluster differ from another, and how it works.
public struct ReplicaConfiguration: Sendable {
    /// Only members of the same cluster talk to each other.
    public var cluster: String
    /// This node's name, such as `n1`.
    public var member: String
    /// The names of the others.
    public var peers: [String]
    public var durability: Durability
    /// Lists whose indexes stay once they are built.
    public var indexes = IndexRules()
    /// Memory for all indexes together.
    public var indexByteLimit = 256 << 20
    /// Seeds push IDs and the writer ID. Differs in every incarnation.
    public var seed: UInt64
    /// A checkpoint is due once so much has changed since the last one; a quarter, if there is time.
    public var checkpointBytes = 16 << 20
    /// So long after it was stamped, a write of a client that lost its node is taken at another one.
    ///
    /// The closed timestamp lags by this, so registers are kept at least so long.
    public var retryWindowMilliseconds: UInt64 = 5_000
    /// How long the coordinator of transactions may decide after it was last renewed. Another one follows
    /// within this and half of it.
    public var leaseMilliseconds: UInt64 = 2_000
    /// A log with more operations does not wait for members that are away.
    public var logLimit: UInt64 = 10_000_000
    /// As many incarnations that are over may stay in heartbeats before the members fold them.
    public var foldingLimit = 64
    /// What becomes of what this node alone had acknowledged before it was voted out.
    public var orphanPolicy = OrphanPolicy.replay
    /// The versions of the protocol that this node speaks.
    public var versions = UInt64(protocolVersion)...UInt64(protocolVersion)
    /// Where each member publishes, this one included: what tells two nodes of one name apart.
    public var endpoints: [String: String] = [:]

    public init(
        cluster: String, member: String, peers: [String], durability: Durability, seed: UInt64
    ) {
        self.cluster = cluster
        self.member = member
        self.peers = peers
        self.durability = durability
        self.seed = seed
    }
}

extension ReplicaConfiguration {
    /// Where a member publishes.
    func endpoint(of member: String) -> String { endpoints[member] ?? "" }

    /// All members, ascending by name.
    var members: [Hello.Member] {
        (peers.filter { $0 != member } + [member]).sorted().map {
            Hello.Member($0, at: endpoint(of: $0))
        }
    }
}
