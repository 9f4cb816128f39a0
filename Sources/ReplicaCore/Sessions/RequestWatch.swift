public import DataTree
public import SyncProtocol

/// A request that the log of a node mentions, because it was refused or took long.
public struct RequestRecord: Equatable, Sendable {
    /// Why it is mentioned.
    public enum Reason: Equatable, Sendable {
        /// By rules or a limit, with the code and the problem of the answer.
        case refused(code: String, problem: String)
        /// For other nodes, for a transaction, or for the disk.
        case waited(milliseconds: UInt64)
        /// Because the node worked so long in one step, of which it was the last request.
        case worked(milliseconds: UInt64)
    }

    public let session: SessionID
    /// The name of the request in the native protocol; nil if it is unknown.
    public let name: String?
    /// The first location that it reads or writes.
    public let location: Path?
    public let reason: Reason

    package init(
        session: SessionID, name: String?, location: Path?, reason: Reason
    ) {
        (self.session, self.name, self.location) = (session, name, location)
        self.reason = reason
    }
}

/// Finds requests for the log: refused ones, and those that are answered in a later turn and took long.
///
/// A request that is answered in its own turn costs a counter here.
struct RequestWatch: Sendable {
    /// The records that are kept until the driver removes them, and the waiting requests that are watched.
    static let recordLimit = 32
    static let waitingLimit = 1_000

    /// A request that waits for its answer.
    private struct Waiting: Sendable {
        let message: ClientMessage
        let sinceMilliseconds: UInt64
    }

    private let slowMilliseconds: UInt64
    private var nowMilliseconds: UInt64 = 0
    private var records: [RequestRecord] = []
    /// The number of records for which there was no room.
    private var omittedCount = 0
    private var waiting: [SessionID: [UInt64: Waiting]] = [:]
    private var waitingCount = 0
    /// The number of answers, by which the replica detects that a request has none yet.
    private(set) var answerCount: UInt64 = 0
    /// The request that was served last, with its session.
    private(set) var last: (message: ClientMessage, session: SessionID)?

    init(slowMilliseconds: UInt64) { self.slowMilliseconds = slowMilliseconds }

    /// Begins a turn at this time.
    mutating func beginTurn(at milliseconds: UInt64) { nowMilliseconds = milliseconds }

    /// Records that a request is served.
    mutating func recordService(of message: ClientMessage, _ session: SessionID) {
        last = (message, session)
    }

    /// Records that a served request has no answer yet.
    mutating func recordWait(of message: ClientMessage, _ session: SessionID) {
        switch message.request {
        // A listen is answered by data. A wait until all earlier writes have arrived takes seconds by design.
        case .listen, .awaitStable: return
        default: break
        }
        guard message.id != 0, waitingCount < RequestWatch.waitingLimit,
            waiting[session]?[message.id] == nil
        else { return }
        waiting[session, default: [:]][message.id] = Waiting(
            message: message, sinceMilliseconds: nowMilliseconds)
        waitingCount += 1
    }

    /// Counts an answer, and records the request if it waited long.
    @inline(__always)
    mutating func recordAnswer(_ id: UInt64?, of session: SessionID) {
        guard let id else { return }
        answerCount += 1
        if waitingCount > 0 { endWait(id, of: session) }
    }

    private mutating func endWait(_ id: UInt64, of session: SessionID) {
        guard let request = waiting[session]?.removeValue(forKey: id) else { return }
        waitingCount -= 1
        if waiting[session]?.isEmpty == true { waiting[session] = nil }
        let waited = nowMilliseconds - min(nowMilliseconds, request.sinceMilliseconds)
        guard waited >= slowMilliseconds else { return }
        add(RequestRecord(request.message, of: session, .waited(milliseconds: waited)))
    }

    /// Records a refusal by rules or a limit; other errors are no concern of the operator.
    mutating func recordRefusal(
        _ code: ErrorCode, _ problem: String, _ id: UInt64, of session: SessionID
    ) {
        guard code == .permissionDenied || code == .tooBig else { return }
        // Further lines have values of the data, for administrators alone.
        let line = problem.prefix { $0 != "\n" }
        let reason = RequestRecord.Reason.refused(code: code.rawValue, problem: String(line))
        if let last, last.session == session, last.message.id == id {
            add(RequestRecord(last.message, of: session, reason))
        } else {
            add(RequestRecord(session: session, name: nil, location: nil, reason: reason))
        }
    }

    /// Forgets the requests of a session that ends.
    mutating func close(_ session: SessionID) {
        if waitingCount > 0, let requests = waiting.removeValue(forKey: session) {
            waitingCount -= requests.count
        }
    }

    private mutating func add(_ record: RequestRecord) {
        if records.count < RequestWatch.recordLimit {
            records.append(record)
        } else {
            omittedCount += 1
        }
    }

    /// The request that was served last, as a record of the time that its step took.
    func lastRecord(took milliseconds: UInt64) -> RequestRecord? {
        last.map { RequestRecord($0.message, of: $0.session, .worked(milliseconds: milliseconds)) }
    }

    /// Removes and returns the records, and how many more there were.
    mutating func removeRecords() -> (records: [RequestRecord], omitted: Int) {
        if records.isEmpty { return ([], 0) }
        defer { (records, omittedCount) = ([], 0) }
        return (records, omittedCount)
    }
}

extension RequestRecord {
    init(_ message: ClientMessage, of session: SessionID, _ reason: Reason) {
        self.init(
            session: session, name: message.request.name, location: message.request.locations.first,
            reason: reason)
    }
}

extension NodeMessage {
    /// The request that it answers; nil if it is data of a listen.
    var requestOfAnswer: UInt64? {
        switch self {
        case .ok(let id), .acknowledged(let id, _), .pushed(let id, _), .value(let id, _),
            .ready(let id, _, _, _, _), .error(let id, _, _, _):
            id
        case .unindexed, .change, .ranges, .seen, .ended: nil
        }
    }
}

extension Replica {
    /// Removes and returns the requests that the log mentions, and how many more there were.
    package mutating func removeRequestRecords() -> (records: [RequestRecord], omitted: Int) {
        sessions.requests.removeRecords()
    }

    /// The request that was served last, after a step that took long; nil if no request was served.
    package func lastRequest(took milliseconds: UInt64) -> RequestRecord? {
        sessions.requests.lastRecord(took: milliseconds)
    }
}
