import SyncProtocol

/// The knowledge of the checks of access about a run.
struct AccessJudgement {
    var history: RulesHistory
    /// By node.
    var watches: [AccessWatch]
    /// The faulty rules that nodes were given, and what they have to say.
    var faults: [(node: Int, problem: String)] = []
    /// The problem of a node's handling of rules.
    private(set) var problem: String?

    /// The operator's requests with faulty rules have ids from here on, evictions below, and copies far above.
    private static let firstFault: UInt64 = 1 << 31

    /// The id of the request that gives a node faulty rules.
    mutating func add(_ problem: String, of node: Int) -> UInt64 {
        faults.append((node, problem))
        return AccessJudgement.firstFault + UInt64(faults.count - 1)
    }

    /// Judges an answer to the operator; returns whether it is one about faulty rules.
    mutating func check(_ answer: NodeMessage) -> Bool {
        let (id, refusal): (UInt64, (code: ErrorCode, problem: String)?)
        switch answer {
        case .ok(let number): (id, refusal) = (number, nil)
        case .error(let number, let code, let problem, _): (id, refusal) = (number, (code, problem))
        default: return false
        }
        guard id >= AccessJudgement.firstFault else { return false }
        // Otherwise its disk takes no writes, or it waits for its peers.
        guard refusal?.code ?? .invalid == .invalid else { return true }
        let (node, fault) = faults[Int(id - AccessJudgement.firstFault)]
        if refusal?.problem.contains(fault) != true {
            let told = refusal.map { "refuses, for \"\($0.problem)\"," } ?? "takes"
            problem = "\(watches[node].name) \(told) rules whose fault is \"\(fault)\""
        }
        return true
    }
}
