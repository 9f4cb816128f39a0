import DataTree
import GatewayCore
import JSONText
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A client with an identity: it sends credentials, sends requests one after the other, listens,
/// connects and disconnects.
struct UserClient {
    /// By what it reaches its node.
    enum Door: CaseIterable {
        /// By frames, as the library does.
        case native
        /// By Firebase's WebSocket protocol.
        case realtime
        case rest
        /// By a stream of events over REST.
        case stream
    }

    /// The outcome of a request, as its client sees it.
    enum Outcome: Equatable {
        case done
        case denied
        /// Refused for another reason.
        case failed
        /// The client's credential is invalid.
        case unknownUser
        /// Refused as invalid.
        case nonsense
    }

    /// The request without an outcome.
    struct Open {
        let number: UInt64
        let request: UserRequest
        let since: Microseconds
        /// How many answers its session had got before.
        let answers: Int
    }

    /// The name of a listen at its client.
    struct Selection: Hashable {
        let path: Path
        let query: Query
    }

    /// With more listens, a client connects anew.
    static let listenLimit = 4

    /// Among all clients.
    let index: Int
    let door: Door
    /// In the order in which it connects to them.
    private let nodes: [Int]
    private var next = 0
    var random: SplitMix64
    /// How many steps it still takes.
    var remaining: Int
    var connection: Int?
    private(set) var node = 0
    var credential: Credential
    /// A former credential, which it sends again at times, valid or not.
    var earlier: Credential?
    var open: Open?
    /// How many listens it has begun on this connection.
    var listens = 0
    /// Those that its node has accepted on this connection, and may have ended since.
    var accepted: Set<Selection> = []
    /// The listen that its node has denied last on this connection.
    var denied: Selection?
    var lastNumber: UInt64 = 0
    /// The node has said that it is there.
    var isReady = false
    /// It is silent, and its connection stays.
    var isSilent = false
    /// The node does not serve it, or no more.
    private(set) var isOver = false
    private(set) var connected: Microseconds = 0
    var socket = FirebaseSocket()
    var joiner = ChunkJoiner()
    var answers = AnswerReader()
    var lines = EventLines()
    var status = 0

    init(index: Int, door: Door, nodes: [Int], remaining: Int, random: SplitMix64) {
        var random = random
        (self.index, self.door, self.nodes, self.remaining) = (index, door, nodes, remaining)
        credential = UserProgram.credential(at: 0, &random)
        self.random = random
    }

    /// A text that no other write has.
    var tag: String { "c\(index + 1)-\(remaining)" }

    /// Begins on a connection to the next node.
    mutating func nextNode() -> Int {
        defer { next += 1 }
        node = nodes[next % nodes.count]
        return node
    }

    mutating func begin(on connection: Int, at now: Microseconds) {
        (self.connection, connected, isOver) = (connection, now, false)
        (socket, answers, lines, status) = (FirebaseSocket(), AnswerReader(), EventLines(), 0)
        (open, listens, isReady) = (nil, 0, door != .realtime)
        (accepted, denied, joiner) = ([], nil, ChunkJoiner())
    }

    mutating func loseConnection() { (connection, open) = (nil, nil) }

    /// The identities that it may have at a time, for a node that has received everything that it
    /// has sent.
    ///
    /// - Parameters:
    /// - times: The range of the times at which the node receives it.
    /// - uncertainty: The largest deviation of a node's clock; nil if any time is possible there.
    func identities(
        at times: ClosedRange<Microseconds>, uncertainty: Microseconds?
    ) -> [UserIdentity] {
        let identity = credential.identity
        guard let uncertainty else { return [identity, .signedOut] }
        guard let end = credential.end,
            times.upperBound + uncertainty + .seconds(1) >= end
        else { return [identity] }
        // A gateway looks every half second whose credential has ended.
        let isOver =
            door == .realtime && times.lowerBound > end + uncertainty + .seconds(2)
        return isOver ? [.signedOut] : [identity, .signedOut]
    }
}

// MARK: - What comes

extension UserClient {
    /// Reads what has come; returns the outcome of the open request, if it has one now.
    mutating func receive(_ bytes: [UInt8], by json: JSONReader) -> Outcome? {
        switch door {
        case .native: receiveFrame(bytes)
        case .realtime: receiveMessages(bytes, by: json)
        case .rest: receiveAnswer(bytes)
        case .stream: receiveEvents(bytes)
        }
    }

    private func receiveFrame(_ frame: [UInt8]) -> Outcome? {
        var outcome: Outcome?
        for case .message(let message) in (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
        {
            switch message {
            case .ok(let id), .acknowledged(let id, _), .pushed(let id, _), .value(let id, _):
                if id == open?.number { outcome = .done }
            case .error(let id, let code, _, _):
                if id == open?.number { outcome = code == .permissionDenied ? .denied : .failed }
            case .unindexed, .change, .ranges, .ready, .seen, .ended: break
            }
        }
        return outcome
    }

    private mutating func receiveMessages(_ bytes: [UInt8], by json: JSONReader) -> Outcome? {
        var outcome: Outcome?
        for event in socket.receive(bytes) {
            guard case .message(let text) = event else {
                isOver = true
                continue
            }
            guard case .message(let whole) = joiner.append(text) else { continue }
            switch FirebaseMessage(whole, by: json) {
            case .handshake?: isReady = true
            case .response(let number, let status)?:
                guard UInt64(clamping: number) == open?.number else { break }
                switch status {
                case "ok": outcome = .done
                case "permission_denied": outcome = .denied
                case "invalid_token", "expired_token": outcome = .unknownUser
                case "failure": outcome = .nonsense
                default: outcome = .failed
                }
            default: break
            }
        }
        return outcome
    }

    private mutating func receiveAnswer(_ bytes: [UInt8]) -> Outcome? {
        var body: [UInt8] = []
        for event in answers.receive(bytes) {
            switch event {
            case .head(let head): status = head.status
            case .body(let piece): body += piece
            case .end where status != 100: return outcome(of: status)
            case .end, .failure: break
            }
        }
        return nil
    }

    private func outcome(of status: Int) -> Outcome {
        switch status {
        case 200...299, 412: .done
        case 401: .denied
        default: .failed
        }
    }

    private mutating func receiveEvents(_ bytes: [UInt8]) -> Outcome? {
        for event in answers.receive(bytes) {
            switch event {
            case .head(let head):
                status = head.status
                return outcome(of: status)
            case .body(let piece):
                for event in lines.receive(piece)
                where event.name == "cancel" || event.name == "auth_revoked" { isOver = true }
            case .end, .failure: isOver = true
            }
        }
        return nil
    }
}
