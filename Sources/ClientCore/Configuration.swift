public import SyncProtocol

/// What a client is told once.
public struct Configuration: Sendable {
    /// Where nodes take clients, in the order in which they are tried; at least one.
    public var nodes: [String]
    /// By whom its writes are stamped; drawn at random in each incarnation of the client.
    public var writer: WriterID
    /// Requests that may be sent and unanswered at a time.
    public var window = 1024
    /// Requests that may be unanswered at a time, sent or not; more fail at once.
    public var queueLimit = 100_000
    /// Roughly how many bytes they may have together.
    public var queueBytes = 256 << 20
    /// Whether unanswered writes, and what listens are told, are kept for the next incarnation of the
    /// application.
    public var isPersistent = false
    /// Bytes after which a frame is full.
    public var frameBytes = 64 * 1024
    /// Roughly how many bytes a listen must know before the hashes of its parts are sent with it.
    public var rangeBytes = 1024
    /// How often the function of a transaction is run before it fails.
    public var transactionTries = 25
    /// How often a node is asked for a sign of life while something is awaited of it.
    public var pingMilliseconds: UInt64 = 1000
    /// How often a node is pinged whatever it says: it does this client's on-disconnect writes after 15 s
    /// in which nothing came.
    public var idlePingMilliseconds: UInt64 = 4000
    /// The silence after which a node that was asked counts as gone.
    public var silenceMilliseconds: UInt64 = 3000
    /// How long a node may take to answer at first, before the next one is tried.
    public var attemptMilliseconds: UInt64 = 1000
    /// How long the next round of tries waits after the first round in vain; it doubles.
    public var firstBackOffMilliseconds: UInt64 = 100
    /// The longest wait between rounds.
    public var longestBackOffMilliseconds: UInt64 = 2000

    /// How long a write whose outcome no node knows yet is asked for again, before it fails.
    public var outcomeMilliseconds: UInt64 = 10_000
    /// How long such a write waits before it is asked for again.
    public var inquiryMilliseconds: UInt64 = 200
    /// How long nodes are looked for that hold what was seen at others, before a new session begins
    /// that does without.
    public var sessionMilliseconds: UInt64 = 10_000

    public init(nodes: [String], writer: WriterID) {
        precondition(!nodes.isEmpty, "a client needs the address of at least one node")
        self.nodes = nodes
        self.writer = writer
    }
}
