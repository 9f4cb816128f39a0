import DataTree
import ReplicaCore
import SyncProtocol

/// A program that uses REST over a connection that it keeps: it sends some requests ahead, reads slowly, leaves in the middle, and
/// sends what has to be refused.
struct RestClient {
    /// A request that waits for its answer.
    enum Question {
        case read(RestRead)
        /// Recorded as this operation of the history.
        case write(Workload.Request, operation: Int)
        /// The first step of a transaction, recorded as this one of the history: what is there, and its ETag.
        case examine(record: Int, tries: Int)
        /// The second one: a write on condition of that.
        case exchange(record: Int, tries: Int)
        /// A write at a location that no other client writes.
        case claim(Path)
        /// A write there on condition that it shows that.
        case changeOwn(Path)
        case malformed(MalformedRequest)
        /// The beginning of a request without its end.
        case stall
        case health
        case metrics(before: PortCounts)
    }

    struct Open {
        let question: Question
        let number: UInt64
        let asked: Microseconds
    }

    /// How many requests may wait for their answers.
    static let aheadLimit = 3
    /// The first value that it writes at its own locations.
    static let claim = Value.string("claimed")
    /// How often a transaction is tried.
    static let triesLimit = 8

    /// Among all clients.
    let index: Int
    /// In the order in which it connects to them.
    private let nodes: [Int]
    private var next = 0
    var random: SplitMix64
    var requests: RequestSource
    /// How many steps it still takes.
    var remaining: Int
    var connection: Int?
    /// The node to which it was connected last.
    private(set) var node = 0
    /// Since when it reads nothing.
    var slowSince: Microseconds?
    /// It has read nothing for long, so that it may hear late that its connection was idle.
    var hasBeenSlow = false
    private(set) var open: [Open] = []
    private var reader = AnswerReader()
    private var answer: RestAnswer?
    /// The ETags that it has got.
    var tags: [Path: String] = [:]
    /// Since when its node should have closed the connection, as it has said.
    var closingSince: Microseconds?
    /// When it got something last, or began the connection.
    var lastHeard: Microseconds = 0
    private var lastNumber: UInt64 = 0
    /// How many places it has had for itself.
    private var ownPlaces = 0
    var tally = CheckTally()

    init(index: Int, nodes: [Int], remaining: Int, requests: RequestSource, random: SplitMix64) {
        (self.index, self.nodes, self.remaining) = (index, nodes, remaining)
        (self.requests, self.random) = (requests, random)
    }

    /// Whether it may send another request.
    var mayAsk: Bool { open.count < RestClient.aheadLimit && goesOn }

    /// Whether what it sends behind its last request has a meaning.
    var goesOn: Bool {
        if closingSince != nil { return false }
        if case .stall? = open.last?.question { return false }
        if case .malformed(let malformed)? = open.last?.question, malformed.closes { return false }
        return true
    }

    var isTransacting: Bool {
        open.contains { open in
            switch open.question {
            case .examine, .exchange: true
            default: false
            }
        }
    }

    /// A location that no client has written, and that no other client will write.
    mutating func nextOwnPlace() -> Path {
        ownPlaces += 1
        return Path(["own", "c\(index + 1)", "p\(ownPlaces)"].map { Key(unchecked: $0) })
    }

    // MARK: Connections

    /// The node to connect to.
    mutating func nextNode() -> Int {
        defer { next += 1 }
        node = nodes[next % nodes.count]
        return node
    }

    mutating func connect(on connection: Int, at now: Microseconds) {
        self.connection = connection
        (reader, answer, closingSince, lastHeard) = (AnswerReader(), nil, nil, now)
        hasBeenSlow = false
    }

    /// The connection is gone; returns what has no answer.
    mutating func loseConnection() -> [Open] {
        (connection, closingSince, slowSince) = (nil, nil, nil)
        defer { open = [] }
        return open
    }

    // MARK: Requests and answers

    /// Expects the answer to another request; returns its number.
    mutating func ask(_ question: Question, at now: Microseconds) -> UInt64 {
        lastNumber += 1
        open.append(Open(question: question, number: lastNumber, asked: now))
        if case .read(let read) = question {
            reader.expect(headAlone: read.headAlone)
        } else {
            reader.expect()
        }
        return lastNumber
    }

    /// Receives bytes of its node; returns the questions that are answered.
    mutating func receive(_ bytes: [UInt8], at now: Microseconds) -> [(Open, RestAnswer)] {
        lastHeard = now
        var answered: [(Open, RestAnswer)] = []
        for event in reader.receive(bytes) {
            switch event {
            case .head(let head) where head.status == 100: break
            case .head(let head): answer = RestAnswer(head: head)
            case .body(let piece): answer?.body += piece
            case .end:
                guard let whole = answer.take() else { break }
                if whole.closes { closingSince = now }
                guard !open.isEmpty else {
                    report("an answer to no request: \(whole.status) \(whole.text)")
                    break
                }
                answered.append((open.removeFirst(), whole))
            case .failure(let problem): report(problem)
            }
        }
        return answered
    }

    mutating func count(_ check: Check = .restAnswersAreRight) { tally.count(check) }

    /// Notes that an answer is wrong.
    mutating func report(_ problem: String) { tally.report(.restAnswersAreRight, problem) }
}
