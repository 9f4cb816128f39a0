internal import DataTree
internal import QueryEngine
internal import SyncProtocol

/// The requests to the replica for a REST request, and their conversion to its answer.
enum Exchange {
    case read(ReadExchange)
    case write(WriteExchange)
    case listen(ListenExchange)
    case rules(RulesExchange)
    case report(ReportExchange)

    /// The result of a message of the replica.
    enum Step {
        /// The message is not all, or not of this exchange.
        case waits
        /// Further requests to the replica.
        case asks([ClientMessage])
        /// The exchange is over.
        case answers(Answer)
        /// The exchange is over: the answer has the ETag of a value.
        case tags(TaggedAnswer)
        /// The exchange is over: the answer shows how the node is.
        case shows(NodeStatus)
        /// The exchange is over: the answer is the list of databases.
        case lists
        /// The answer is a stream of events, whose first shows this.
        case streams(listen: UInt64, SessionAnswer)

        /// Whether the exchange is over by an answer of its own.
        var isAnswer: Bool {
            switch self {
            case .answers, .tags: true
            case .waits, .asks, .shows, .lists, .streams: false
            }
        }
    }

    /// Processes a message of the replica.
    mutating func step(_ answer: SessionAnswer, _ numbers: inout RequestNumbers) -> Step {
        switch self {
        case .read(let exchange): return exchange.step(answer.message)
        case .write(var exchange):
            defer { self = .write(exchange) }
            return exchange.step(answer.message, &numbers)
        case .listen(let exchange): return exchange.step(answer)
        case .rules(var exchange):
            defer { self = .rules(exchange) }
            return exchange.step(answer.message, &numbers)
        case .report(let exchange): return exchange.step(answer.message)
        }
    }
}

/// Numbers the requests of one connection to the replica.
struct RequestNumbers {
    private var last: UInt64 = 0

    /// The next number; none comes twice, so that a late answer cannot be taken for another one.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }
}

/// A read: once no earlier write can change what it shows, if its client waits for that.
struct ReadExchange {
    private let request: RestRequest
    /// The number of the wait until all earlier writes are stable; nil without one.
    private let wait: UInt64?
    private let id: UInt64

    init(_ request: RestRequest, _ numbers: inout RequestNumbers) {
        self.request = request
        wait = request.stableMilliseconds == nil ? nil : numbers.next()
        id = numbers.next()
    }

    /// The first request to the replica.
    var opening: [ClientMessage] {
        guard let wait, let milliseconds = request.stableMilliseconds else { return [get] }
        return [.awaitStable(id: wait, milliseconds: milliseconds)]
    }

    /// Rules see a read without parameters as one in the order of keys.
    private var get: ClientMessage {
        let query = request.query == Query() ? ReadExchange.byKey : request.query
        return .get(id: id, path: request.path, query: query)
    }

    private static let byKey = (try? Query().orderedByKey()) ?? Query()

    func step(_ message: NodeMessage) -> Exchange.Step {
        switch message {
        case .ok(let id) where id == wait: return .asks([get])
        case .value(id, let value): return answer(value)
        case .error(let id, .tooBig, let problem, let fix) where id == wait:
            // Too many wait already: nothing is wrong with this one, and another node may have room.
            return .answers(Answer(RestFailure(status: 503, problem: problem, fix: fix)))
        case .error(let id, let code, let problem, let fix) where id == self.id || id == wait:
            return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: false)))
        default: return .waits
        }
    }

    private func answer(_ value: Value) -> Exchange.Step {
        let answer = Answer(value, to: request)
        guard request.tags.isWanted else { return .answers(answer) }
        return .tags(TaggedAnswer(answer, of: value, orUnchangedFrom: request.tags.known))
    }
}

/// A listen, until it shows its first data.
struct ListenExchange {
    private let request: RestRequest
    private let id: UInt64

    init(_ request: RestRequest, _ numbers: inout RequestNumbers) {
        self.request = request
        id = numbers.next()
    }

    /// The first request to the replica.
    var opening: [ClientMessage] {
        [.listen(id: id, path: request.path, query: request.query, demandsIndex: true)]
    }

    func step(_ answer: SessionAnswer) -> Exchange.Step {
        switch answer.message {
        case .change(id, _): return .streams(listen: id, answer)
        case .error(id, let code, let problem, let fix), .ended(id, let code, let problem, let fix):
            return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: false)))
        default: return .waits
        }
    }
}
