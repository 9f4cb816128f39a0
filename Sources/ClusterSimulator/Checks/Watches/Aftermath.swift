import ReplicaCore
import SyncProtocol

/// Continues a copy of a run at rest with requests to all nodes.
struct Aftermath: Watch {
    /// The event before the requests.
    enum Course: CustomStringConvertible {
        case nothing
        /// All lose their power at once, and start again.
        case allRestart
        /// One is gone for good, and evicted.
        case oneIsEvicted(Int)

        var description: String {
            switch self {
            case .nothing: "once all is at rest"
            case .allRestart: "once all have restarted"
            case .oneIsEvicted(let node): "once n\(node + 1) is gone and evicted"
            }
        }
    }

    enum Request: String {
        /// Which every node has to hold when it is answered.
        case write = "a write on all nodes"
        case transaction = "a transaction"
        /// A wait until all earlier writes have arrived.
        case stability = "a wait for stability"
        case eviction = "an eviction"
        /// Which need not be anywhere else yet.
        case localWrite = "a write"
    }

    struct Asked {
        let node: Int
        let request: Request
    }

    /// Requests of this kind have numbers from here on, all others of the operator below.
    static let firstID: UInt64 = 1 << 33

    var course = Course.nothing
    /// How many requests were answered.
    private(set) var count = 0
    /// The first failure.
    private(set) var failure: String?
    private(set) var open: [UInt64: Asked] = [:]
    private var lastID = Aftermath.firstID
    var random: SplitMix64

    init(_ scenario: Scenario, seed: UInt64) {
        self.init(random: SplitMix64(seed: seed, part: 18))
    }

    init(random: SplitMix64) { self.random = random }

    mutating func ended(_ run: SimulatedRun) {
        guard run.quiescence.converged != nil, run.quiescence.failure == nil,
            !run.nodes.contains(where: \.isAbandoned)
        else { return }
        var future = run
        self = future.aftermath(self)
    }

    /// Records a request, and gives it a number.
    mutating func ask(_ request: Request, of node: Int) -> UInt64 {
        lastID += 1
        open[lastID] = Asked(node: node, request: request)
        return lastID
    }

    mutating func received(_ message: NodeMessage) -> Bool {
        guard let id = message.aftermathID, let asked = open.removeValue(forKey: id) else {
            return false
        }
        count += 1
        switch (asked.request, message) {
        case (.write, .acknowledged(_, .all)), (.transaction, .acknowledged), (_, .ok): break
        // Until there is a coordinator, its name becomes older than what nodes remember.
        case (.transaction, .error(_, .undecided, _, _)): break
        case (_, .error(_, let code, let problem, _)):
            fail("n\(asked.node + 1) refuses \(asked.request.rawValue): \(code), \(problem)")
        default:
            fail("n\(asked.node + 1) answers \(asked.request.rawValue) by \(message)")
        }
        return true
    }

    /// The first failure counts.
    mutating func fail(_ problem: String) { failure = failure ?? "\(course): \(problem)" }
}

extension NodeMessage {
    /// The number of the request that it answers.
    fileprivate var aftermathID: UInt64? {
        switch self {
        case .ok(let id), .acknowledged(let id, _), .error(let id, _, _, _): id
        default: nil
        }
    }
}
