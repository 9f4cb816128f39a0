/// The end of a run: faults are over, clients stop, and the cluster has to become equal.
struct Quiescence {
    /// How often quiescence is tested: at irregular intervals, or each test could coincide with a client's
    /// ping.
    static let interval = TimeRange(.milliseconds(80), .milliseconds(120))
    /// How long it has to stay equal until the run ends.
    static let quiet: Microseconds = .seconds(1)
    /// How long equal replicas may take to forget what is stable.
    static let forgetting: Microseconds = .seconds(15)
    /// How long an operator waits for nodes that wait for one which never returns.
    static let operatorPatience: Microseconds = .seconds(5)
    /// A client that repeats a request for ever never reaches quiescence.
    static let limit: Microseconds = .seconds(180)

    var hasBegun = false
    var isOver = false
    /// When the replicas were equal, and all nodes and clients idle.
    var equalSince: Microseconds?
    /// When they became equal for good.
    var converged: Microseconds?
    /// The nodes that have freed unnecessary memory since, and reported the truth, at one moment each. A node that
    /// syncs by intervals has pending data half of the time.
    var freed: Set<Int> = []
    /// The first node or client that was not at rest at the last test, and the reason.
    var unrest: String?
    var lastProgress: Microseconds = 0
    var lastTotal: UInt64 = 0
    /// A failure of the run itself, whatever its checks.
    private(set) var failure: String?

    /// The first failure counts.
    mutating func fail(_ problem: String) { failure = failure ?? problem }
}
