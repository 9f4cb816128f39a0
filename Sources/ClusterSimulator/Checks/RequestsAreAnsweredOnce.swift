import SyncProtocol

extension Check {
    package static let requestsAreAnsweredOnce: Check = Check(
        "requests-are-answered-once", judges: .all,
        claim: "a node answers no request twice",
        criterion: """
            a node sends at most one answer to each request of the native protocol, refusals \
            and answers to writes with a write concern included
            """,
        watch: AnswerWatch.self
    ) { evidence in
        guard let watch = evidence.watches.first(of: AnswerWatch.self) else {
            return .unknown("the run was not watched")
        }
        if let failure = watch.failure { return .invalid(failure) }
        return .valid(watch.count, "answers")
    }
}

/// Observes the answers that nodes send over the native protocol.
struct AnswerWatch: Watch {
    /// The number of answers.
    private(set) var count = 0
    private(set) var failure: String?
    /// The answered requests of each connection.
    private var answered: [Int: Set<UInt64>] = [:]

    init(_ scenario: Scenario, seed: UInt64) {}

    mutating func replied(_ frame: [UInt8], on connection: Int, in run: inout SimulatedRun) {
        let (client, node) = (run.connections[connection].client, run.connections[connection].node)
        let messages = (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
        for case .message(let message) in messages {
            guard let id = message.answeredID else { continue }
            let isFirst = record(id, on: connection)
            guard !isFirst, failure == nil else { continue }
            failure = """
                n\(node + 1) answers request \(id) of \(client.clientName) a second time at \
                \(run.now.description): \(message.summary)
                """
        }
    }

    /// Records an answer. Returns whether it is the first one to its request.
    mutating func record(_ id: UInt64, on connection: Int) -> Bool {
        count += 1
        return answered[connection, default: []].insert(id).inserted
    }
}
