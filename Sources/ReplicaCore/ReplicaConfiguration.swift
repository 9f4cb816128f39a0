public import QueryEngine
public import Rules
public import SyncProtocol

/// The identity of a replica in its cluster, and its limits and policies.
public struct ReplicaConfiguration: Sendable {
    /// The cluster's name; members of other clusters are refused.
    public var cluster: String
    /// This node's name, such as `n1`.
    public var member: String
    /// The names of the other members.
    public var peers: [String]
    /// When a write counts as durable.
    public var durability: Durability
    /// Lists whose indexes stay once they are built.
    public var indexes = IndexRules()
    /// Whether a read that selects children by an order without a named index is refused, as Firebase does.
    public var strictIndexes = false
    /// The principal of clients that the driver has not identified by `Input.identified`.
    public var unidentified = Principal.administrator(name: nil)
    /// Whether clients may do everything as long as the cluster has no rules, as in Firebase's emulator.
    public var permitsAllWithoutRules = false
    /// The memory limit of all indexes together.
    public var indexByteLimit = 256 << 20
    /// The seed of push IDs and of the writer ID; must differ in each incarnation.
    public var seed: UInt64
    /// A checkpoint is due once this much has changed since the last one; at a quiet node, a quarter.
    public var checkpointBytes = 16 << 20
    /// A checkpoint that is not older is recent enough for a member that needs one; more than the second after which that member
    /// repeats its request.
    public var freshCheckpointMilliseconds: UInt64 = 10_000
    /// A member that takes over a checkpoint and requests none of it for this long has stopped: until then there is no new one.
    public var transferPatienceMilliseconds: UInt64 = 5_000
    /// How long after its stamp a native client's write is accepted, so that a client that lost its node
    /// can repeat it at another.
    ///
    /// The closed timestamp lags by this, so registers are kept at least so long.
    public var retryWindowMilliseconds: UInt64 = 5_000
    /// How long the coordinator may decide after its last renewal. Without renewals another one follows
    /// within one and a half times this.
    public var leaseMilliseconds: UInt64 = 2_000
    /// The number of operations above which the log no longer waits for absent members, if a majority holds them.
    /// Above twice the number it does not wait for slow members either (see `Checkpoints.truncation`).
    public var logLimit: UInt64 = 10_000_000
    /// How often the members compare their trees.
    public var comparisonMilliseconds: UInt64 = 30_000
    /// After so long a silence of a node the coordinator does the on-disconnect writes of its sessions; never for 0.
    public var presenceMilliseconds: UInt64 = 30_000
    /// A request that waits so long for its answer is recorded for the log.
    public var slowMilliseconds: UInt64 = 1_000
    /// How much it keeps for its peers and clients.
    public var limits = ReplicaLimits()
    /// The number of ended incarnations in heartbeats above which the members fold them.
    public var foldingLimit = 64
    /// With more data than about this for one slow client in a turn, its remaining listens wait for another turn.
    public var catchUpBytes = 256 << 10
    /// How long the tree that a slow client last showed is kept, so that it gets only what differs.
    public var keptTreeMilliseconds: UInt64 = 5_000
    /// The policy of a rejoining node for operations that no other member holds.
    public var orphanPolicy = OrphanPolicy.replay
    /// The protocol versions that this node speaks.
    public var versions = UInt64(protocolVersion)...PeerDisk.version
    /// Each member's publisher endpoint, including this one's: it distinguishes nodes that use the same
    /// name.
    public var endpoints: [String: String] = [:]

    /// Set if the node ran before this replica began: the replica of a database that wakes.
    public var waking: Waking?

    /// The knowledge of a node at the start of another replica.
    public struct Waking: Equatable, Sendable {
        /// The members that the node does not reach. The replica does not wait for them.
        public var awayMembers: [String]

        /// The knowledge of a node that does not reach some members.
        public init(awayMembers: [String]) { self.awayMembers = awayMembers }
    }

    /// The configuration of a member; properties with defaults are set afterwards.
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
    /// The publisher endpoint of a member.
    func endpoint(of member: String) -> String { endpoints[member] ?? "" }

    /// All members, ascending by name.
    var members: [Hello.Member] {
        (peers.filter { $0 != member } + [member]).sorted().map {
            Hello.Member($0, at: endpoint(of: $0))
        }
    }
}
