import Marks
import SyncProtocol

/// Decides what to request of which peer, so that every gap closes: any holder may answer.
struct Repair: Sendable {
    /// The time after which an unanswered request is repeated, to another holder if there is one.
    static let patienceMilliseconds: UInt64 = 500
    /// The size limit of one answer.
    static let chunkBytes = 256 << 10

    struct Request: Equatable, Sendable {
        var member: String
        var origin: WriterID
        var from: UInt64
        var through: UInt64
    }

    private struct Open: Sendable {
        var askedMilliseconds: UInt64
        var isWaiting: Bool
        var attempts: Int
        var member: String?
    }

    /// So many requests are made in a turn.
    private let requestsLimit: Int
    /// By origin; no order of these reaches an output.
    private var open: [WriterID: Open] = [:]
    /// The member that gave the last useful answer, and is asked first: others may never receive a request.
    private var lastUsefulMember: String?

    init(within limits: ReplicaLimits) { requestsLimit = limits.repairRequests }

    /// Records an answer about this origin; another request may follow at once.
    mutating func answered(_ origin: WriterID, wasUseful: Bool) {
        guard var request = open[origin] else { return }
        request.isWaiting = false
        request.attempts = wasUseful ? 0 : request.attempts + 1
        open[origin] = request
        if wasUseful { lastUsefulMember = request.member }
    }

    /// The requests to send now.
    ///
    /// - Complexity: O(origins) for each peer; mostly nothing is missing.
    mutating func requests(
        holding vector: VersionVector, reorderBuffer: ReorderBuffer, peers: Peers,
        at elapsedMilliseconds: UInt64
    ) -> [Request] {
        if reorderBuffer.count == 0, peers.areCovered(by: vector) {
            if !open.isEmpty { open.removeAll(keepingCapacity: true) }
            return []
        }
        var needs = reorderBuffer.needs(beyond: vector)
        for index in peers.all.indices {
            for (origin, sequence) in peers.all[index].heartbeat?.vector.entries ?? [] {
                needs[origin] = max(needs[origin], sequence)
            }
        }
        if !open.isEmpty { open = open.filter { needs[$0.key] > vector[$0.key] } }
        var requests: [Request] = []
        for (origin, sequence) in needs.entries where sequence > vector[origin] {
            let held = vector[origin]
            let gapEnd = reorderBuffer.gapEnd(of: origin) ?? sequence
            // Without a gap, the next batch is here and waits for its dependencies.
            guard gapEnd > held else { continue }
            let holders = peers.holders(of: origin, beyond: held, at: elapsedMilliseconds)
            guard !holders.isEmpty, requests.count < requestsLimit,
                let attempt = attempt(to: origin, at: elapsedMilliseconds)
            else { continue }
            let first = holders.firstIndex { $0 == lastUsefulMember } ?? 0
            let member = holders[(first + attempt) % holders.count]
            open[origin]?.member = member
            requests.append(
                Request(
                    member: member, origin: origin, from: held + 1, through: min(sequence, gapEnd)))
        }
        return requests
    }

    /// Opens or repeats the request about an origin; nil while an answer may still arrive.
    private mutating func attempt(
        to origin: WriterID, at elapsedMilliseconds: UInt64
    ) -> Int? {
        guard var request = open[origin] else {
            open[origin] = Open(
                askedMilliseconds: elapsedMilliseconds, isWaiting: true, attempts: 0)
            return 0
        }
        let isOverdue =
            elapsedMilliseconds >= request.askedMilliseconds + Repair.patienceMilliseconds
        guard !request.isWaiting || isOverdue else { return nil }
        // A useless answer is not followed by another request at once: the holder may be catching
        // up itself.
        if !request.isWaiting, request.attempts > 0, !isOverdue {
            sometimes(.repairWaitsAfterUselessAnswer)
            return nil
        }
        if request.isWaiting {
            sometimes(.repairAsksAnotherHolder)
            request.attempts += 1
        }
        request.isWaiting = true
        request.askedMilliseconds = elapsedMilliseconds
        open[origin] = request
        return request.attempts
    }
}

extension Peers {
    /// The members to ask for operations of an origin: first the live ones that have announced some beyond `held`,
    /// then the silent ones, which may answer although their heartbeats get lost. Empty if no live member has any.
    fileprivate func holders(
        of origin: WriterID, beyond held: UInt64, at elapsedMilliseconds: UInt64
    ) -> [String] {
        var (live, silent): ([String], [String]) = ([], [])
        for index in all.indices {
            guard let heartbeat = all[index].heartbeat else { continue }
            if !isLive(all[index], at: elapsedMilliseconds) {
                silent.append(all[index].member)
            } else if heartbeat.vector[origin] > held || heartbeat.writer == origin {
                live.append(all[index].member)
            }
        }
        return live.isEmpty ? [] : live + silent
    }
}
