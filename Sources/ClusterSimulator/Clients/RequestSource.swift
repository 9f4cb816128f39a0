import DataTree
import ReplicaCore

/// The requests of a client, one after the other: those that the scenario names, and drawn ones.
struct RequestSource {
    /// How many requests are still to be drawn.
    var remaining: Int
    var scripted: [ScriptedRequest] = []
    var random: SplitMix64
    /// The transfer that the client has begun.
    private var transfer: Transfer?
    private let client: Int
    private var count = 0
    private var pushIDs = PushIDGenerator()

    init(client: Int, remaining: Int, random: SplitMix64) {
        self.client = client
        self.remaining = remaining
        self.random = random
    }

    /// The request that comes next, which the scenario names or which is drawn; nil if there is none.
    ///
    /// - Parameter keyMilliseconds: The time of the push IDs that the client makes.
    mutating func next(_ workload: Workload, keyMilliseconds: UInt64) -> Workload.Request? {
        if !scripted.isEmpty { return request(scripted.removeFirst(), keyMilliseconds) }
        if let step = nextOfTransfer() { return step }
        while remaining > 0 {
            if let request = draw(workload, keyMilliseconds) { return request }
        }
        return nil
    }

    /// Draws a request; nil if there is none of what was drawn.
    private mutating func draw(
        _ workload: Workload, _ keyMilliseconds: UInt64
    ) -> Workload.Request? {
        remaining -= 1
        count += 1
        var keys = pushIDs
        defer { pushIDs = keys }
        let request = workload.draw(
            tag: "c\(client + 1)-\(count)",
            key: { keys.next(at: keyMilliseconds, random: &$0) }, random: &random)
        if case (let begun, .reading)? = request?.transfer { transfer = begun }
        return request
    }

    private mutating func nextOfTransfer() -> Workload.Request? {
        guard let current = transfer else { return nil }
        let next = current.next
        if current.isLast { transfer = nil }
        return next
    }

    /// A request has its outcome; nil for the value if it read nothing.
    mutating func finish(reading value: Value?) {
        guard transfer != nil else { return }
        if let value { transfer?.read(value) } else { transfer = nil }
    }

    private mutating func request(
        _ scripted: ScriptedRequest, _ keyMilliseconds: UInt64
    ) -> Workload.Request {
        switch scripted {
        case .set(let path, let value): .write(value, at: path)
        case .remove(let path): .write(.null, at: path)
        case .increment(let path, let delta): .increment(path, by: delta)
        case .push(let list, let value):
            .push(to: list, key: newKey(at: keyMilliseconds), value)
        }
    }

    mutating func newKey(at milliseconds: UInt64) -> Key {
        pushIDs.next(at: milliseconds, random: &random)
    }

    /// Ends the requests.
    mutating func stop() {
        remaining = 0
        scripted.removeAll()
        transfer = nil
    }
}

/// The wall clock of a client. A wrong one also runs backwards every other second.
struct ClientClock {
    private let offset: Int64

    init(skew: Microseconds, random: inout SplitMix64) {
        offset = VirtualClock.draw(within: Int64(skew / 1_000), &random)
    }

    func milliseconds(at now: Microseconds) -> UInt64 {
        let elapsed = Int64(now / 1_000)
        let jitter = offset == 0 ? 0 : (elapsed / 1_000) % 2 * (elapsed % 1_000) * 2
        return UInt64(max(0, Int64(VirtualClock.beginning) + elapsed - jitter + offset))
    }
}
