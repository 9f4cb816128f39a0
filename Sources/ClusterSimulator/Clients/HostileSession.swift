import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A session at a node that sends the requests which cost the node most, and never waits for answers: reads and listens by
/// orders without an index, and writes.
struct HostileSession {
    /// The numbers of these sessions are above those of all connections.
    static let firstNumber: UInt64 = 1 << 40
    /// The requests of one frame.
    private static let requestCount = 24
    /// So often a session ends, with requests of it unanswered, and another one begins.
    private static let framesOfSession = 6

    let node: Int
    private(set) var session: SessionID
    private var frameCount = 0
    private var random: SplitMix64

    init(_ number: Int, at node: Int, seed: UInt64) {
        self.node = node
        let first = UInt64(node << 20 | number << 10) << 10
        session = SessionID(number: HostileSession.firstNumber + first)
        random = SplitMix64(seed: seed, part: 50_000 + UInt64(node << 10 | number))
    }

    /// The next input of the session.
    mutating func next() -> Input {
        guard frameCount < HostileSession.framesOfSession else {
            frameCount = 0
            defer { session = SessionID(number: session.number + 1) }
            return .closed(session)
        }
        frameCount += 1
        var frame = FrameWriter()
        for number in 0..<HostileSession.requestCount {
            frame.append(request(UInt64(frameCount * HostileSession.requestCount + number)))
        }
        return .requested(frame.bytes, by: session)
    }

    private mutating func request(_ id: UInt64) -> ClientMessage {
        let place = ["/", "/lists", "/lists/l1", "/hostile"][random.index(below: 4)]
        // Both are valid.
        guard let path = try? Path(place),
            let query = try? Query().ordered(byChild: "x\(random.index(below: 9))")
                .limited(toLast: 3)
        else { preconditionFailure("a request of a hostile session is invalid") }
        switch random.index(below: 4) {
        case 0: return .get(id: id, path: path, query: query)
        case 1: return .listen(id: id, path: path, query: query)
        case 2: return .get(id: id, path: path)
        default:
            var value = Children()
            let number = Int64(random.index(below: 99))
            value[Key(unchecked: "x\(random.index(below: 9))")] = .integer(number)
            return .put(
                id: id, path: HostileSession.list.appending(Key(index: random.index(below: 40))),
                value: Value(value))
        }
    }

    private static let list = Path([Key(unchecked: "hostile")])
}
