public import SyncProtocol

/// The settings of a client.
public struct Configuration: Sendable {
    /// The addresses of nodes, in the order in which they are tried; at least one.
    public var nodes: [String]
    /// The first writer of its stamps; drawn at random for each process.
    public var writer: WriterID
    /// Whether unanswered writes and the values of listens are kept for the application's next process.
    public var isPersistent = false
    /// Bytes after which a frame is full.
    public var frameBytes = 64 * 1024
    /// Requests that may be sent and unanswered at a time.
    public var window = 1024
    /// Requests that may be unanswered at a time, sent or not; more fail at once.
    public var queueLimit = 100_000
    /// Roughly how many bytes they may have in total.
    public var queueBytes = 256 << 20
    /// Roughly from how many bytes on a listen sends the hashes of its parts.
    public var rangeBytes = 1024
    /// How often the function of a transaction runs before the transaction fails.
    public var transactionTries = 25
    /// How often a silent node is pinged while an answer is due.
    public var pingMilliseconds: UInt64 = 1000
    /// How often a silent node is pinged while this client listens, and waits for nothing else.
    public var listenPingMilliseconds: UInt64 = 2000
    /// How often a node is pinged in any case: it does this client's on-disconnect writes after 15 s of silence.
    public var idlePingMilliseconds: UInt64 = 4000
    /// After so much silence a node that owes an answer is left.
    public var silenceMilliseconds: UInt64 = 3000
    /// How long a node may take to answer at first, before the next one is tried.
    public var attemptMilliseconds: UInt64 = 1000
    /// The same in a new client's first round of tries: most nodes answer at once, and the others are tried again.
    public var headStartMilliseconds: UInt64 = 250
    /// How long the next round of tries waits after the first round in vain; it doubles.
    public var firstBackOffMilliseconds: UInt64 = 100
    /// The longest wait between rounds.
    public var longestBackOffMilliseconds: UInt64 = 2000

    /// For how long a write of unknown outcome is repeated before it fails.
    public var outcomeMilliseconds: UInt64 = 10_000
    /// How long a write of unknown outcome waits before it is repeated.
    public var inquiryMilliseconds: UInt64 = 200
    /// How long the client looks for a node that holds what it has seen, before it begins a new session without that.
    public var sessionMilliseconds: UInt64 = 10_000

    package init(nodes: [String], writer: WriterID) {
        precondition(!nodes.isEmpty, "a client needs the address of at least one node")
        self.nodes = nodes
        self.writer = writer
    }
}
