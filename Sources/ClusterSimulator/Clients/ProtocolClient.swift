import DataTree
import ReplicaCore
import SyncProtocol

/// A client that speaks the protocol without the library: it says no hello and stamps nothing, so that its
/// node stamps its writes, and may have the node make the keys of its pushes.
///
/// It asks one thing at a time of one node, and goes to another node when that one does not answer, or when
/// its time there is over. It asks again for the put of a push key alone, because it is the same put.
struct ProtocolClient {
    /// A request that waits for its answer.
    struct Pending {
        var id: UInt64
        var operation: Int
        var request: Workload.Request

        /// Whether another node may be asked for it, although this one may have done it.
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
    /// It leaves its node once its request is answered.
    var wantsToMove = false
    var requests: RequestSource
    let clock: ClientClock
    private var lastID: UInt64 = 0

    init(index: Int, node: Int, remaining: Int, skew: Microseconds, seed: UInt64) {
        self.index = index
        self.node = node
        var random = SplitMix64(seed: seed, part: 10_000 + UInt64(index))
        clock = ClientClock(skew: skew, random: &random)
        requests = RequestSource(client: index, remaining: remaining, random: random)
    }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }
}
