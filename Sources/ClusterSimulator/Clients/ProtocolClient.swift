import DataTree
import ReplicaCore
import SyncProtocol

/// A client that speaks the protocol without the SDK: it sends no hello and no stamps, so that its node
/// stamps its writes, and may have the node make the keys of its pushes.
///
/// It has one open request, and moves to another node when its node does not answer, or when its time
/// there is over. It repeats only the put of a push key, which is idempotent.
struct ProtocolClient {
    /// A request that waits for its answer.
    struct Pending {
        var id: UInt64
        var operation: Int
        var request: Workload.Request

        /// Whether another node may get it too, although this one may have executed it.
        var isRepeatable: Bool {
            if case .push = request.kind { true } else { false }
        }
    }

    /// Among all clients.
    let index: Int
    var node: Int
    /// Its connection, as the run numbers them.
    var connection: Int?
    var pending: Pending?
    /// The client leaves its node once its request is answered.
    var wantsToMove = false
    var requests: RequestSource
    /// The outstanding answers of its node on this connection.
    var expected = ExpectedAnswers()
    let clock: ClientClock
    private var lastID: UInt64 = 0
    /// Draws what it sends besides its requests, which so are the same without that.
    private var company: SplitMix64

    init(index: Int, node: Int, remaining: Int, skew: Microseconds, seed: UInt64) {
        self.index = index
        self.node = node
        var random = SplitMix64(seed: seed, part: 10_000 + UInt64(index))
        clock = ClientClock(skew: skew, random: &random)
        requests = RequestSource(client: index, remaining: remaining, random: random)
        company = SplitMix64(seed: seed, part: 30_000 + UInt64(index))
    }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// The frame of a request: one in eight has a malformed message before it, and a ping behind it.
    mutating func frame(of request: Workload.Request) -> (id: UInt64, bytes: [UInt8]) {
        let hasCompany = company.index(below: 8) == 0
        let malformed = hasCompany ? nextID() : nil
        let id = nextID()
        var bytes = request.message(id: id).frame
        if let malformed {
            expected.expect(.malformed, malformed)
            bytes.insert(contentsOf: MalformedMessage.draw(id: malformed, &company), at: 1)
        }
        expected.expect(request.isAnsweredAtOnce ? .write : .other, id)
        if hasCompany {
            let ping = nextID()
            expected.expect(.ping, ping)
            bytes += ClientMessage.ping(id: ping).frame.dropFirst()
        }
        return (id, bytes)
    }
}

extension Workload.Request {
    /// Whether its answer waits for no other node.
    fileprivate var isAnsweredAtOnce: Bool {
        if case .get = kind { false } else { concern == nil }
    }
}
