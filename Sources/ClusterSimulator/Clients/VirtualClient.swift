import DataTree
import ReplicaCore
import SyncProtocol

/// A client of the cluster: it asks one thing at a time of one node, and goes to another node when
/// that one does not answer, or when its time there is over.
///
/// A native one does what the SDK does: it stamps its writes, and asks again for one whose outcome it
/// does not know. Others do that with the put of a push key, because it is the same put, and with
/// nothing else.
struct VirtualClient {
    /// A request that waits for its answer.
    struct Pending {
        var id: UInt64
        var operation: Int
        var request: Workload.Request
        var stamp: Stamp?
        /// Whether the node that is connected may have it, and whether one before may have done it.
        var wasSent = false
        var mayBeDone = false
        var undecidedSince: Microseconds?
    }

    /// What a native client knows of nodes.
    struct Session {
        var clock: StampClock
        var seen = VersionVector()
        /// The node holds what was seen elsewhere.
        var isReady = false
        /// Since when it looks for one that does.
        var lookingSince: Microseconds?
        /// Counted on when it goes on without what it has seen.
        var number = 0
    }

    let index: Int
    /// Nil for a client that listens.
    var listening: Listening?
    var node: Int
    /// Its connection, as the run numbers them.
    var connection: Int?
    var pending: Pending?
    /// Nil for one that is not native.
    var session: Session?
    /// It leaves its node once its request is answered.
    var wantsToMove = false
    /// Its node has said something since the last probe.
    var wasHeard = true
    var remaining: Int
    var scripted: [ScriptedRequest] = []
    var random: SplitMix64

    private var lastID: UInt64 = 0
    private var pushIDs = PushIDGenerator()
    private let clockOffset: Int64

    init(
        index: Int, node: Int, remaining: Int, listening: Path?, isNative: Bool,
        skew: Microseconds, seed: UInt64
    ) {
        self.index = index
        self.node = node
        self.remaining = remaining
        self.listening = listening.map { Listening(path: $0) }
        random = SplitMix64(seed: seed, part: 10_000 + UInt64(index))
        clockOffset = VirtualClock.draw(within: Int64(skew / 1_000), &random)
        if isNative {
            session = Session(clock: StampClock(writer: WriterID(bits: random.next() | 1)))
        }
    }

    /// It has something to ask, and does not wait for an answer.
    var hasWork: Bool { pending == nil && (remaining > 0 || !scripted.isEmpty) }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Draws the next request, or takes one that the scenario names.
    mutating func nextRequest(
        _ workload: Workload, at now: Microseconds, defect: PlantedDefect?
    ) -> Workload.Request? {
        if !scripted.isEmpty {
            let request = scripted.removeFirst()
            return nextRequest(request, at: now)
        }
        guard remaining > 0 else { return nil }
        remaining -= 1
        var generator = pushIDs
        let clock = clock(at: now)
        if defect == .forgetsLastPushID { generator = PushIDGenerator() }
        let request = workload.draw(
            tag: "c\(index + 1)-\(lastID + 1)",
            key: { random in
                guard defect == .drawsPushIDsAlike else {
                    return generator.next(at: clock, random: &random)
                }
                var same = SplitMix64(seed: 1)
                return generator.next(at: clock, random: &same)
            }, random: &random)
        pushIDs = generator
        return request
    }

    private mutating func nextRequest(
        _ scripted: ScriptedRequest, at now: Microseconds
    ) -> Workload.Request {
        switch scripted {
        case .set(let path, let value): return .write(value, at: path)
        case .remove(let path): return .write(.null, at: path)
        case .increment(let path, let delta): return .increment(path, by: delta)
        case .push(let list, let value):
            let key = pushIDs.next(at: clock(at: now), random: &random)
            return .push(to: list, key: key, value)
        }
    }

    /// The client's wall clock. One that is not set right runs backwards every other second, too.
    private func clock(at now: Microseconds) -> UInt64 {
        let elapsed = Int64(now / 1_000)
        let jitter = clockOffset == 0 ? 0 : (elapsed / 1_000) % 2 * (elapsed % 1_000) * 2
        return UInt64(max(0, Int64(VirtualClock.beginning) + elapsed - jitter + clockOffset))
    }
}
