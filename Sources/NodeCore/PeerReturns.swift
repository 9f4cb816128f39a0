internal import ReplicaCore
internal import SyncProtocol

/// The databases that wake for a moment because a node has come back, which may have missed operations of them.
struct PeerReturns {
    /// How many databases wake for this reason at a time, and how long one counts among them at most.
    private static let limit = 16
    private static let visitMilliseconds: UInt64 = 5_000

    /// The positions of databases that have yet to wake, in order.
    private var waiting: ArraySlice<Int> = []
    private var visited: [(position: Int, untilMilliseconds: UInt64)] = []

    /// Whether there is nothing to do.
    var isEmpty: Bool { waiting.isEmpty && visited.isEmpty }

    /// Has all of so many databases wake.
    mutating func begin(_ count: Int) { waiting = Array(0..<count)[...] }

    /// Has one more database wake.
    mutating func append(_ position: Int) { waiting.append(position) }

    /// Returns the positions of databases that are to wake now.
    mutating func next(_ databases: [NamedDatabase], at milliseconds: UInt64) -> [Int] {
        visited.removeAll {
            milliseconds >= $0.untilMilliseconds || databases[$0.position].isSynchronized
                || databases[$0.position].state == .asleep
        }
        var positions: [Int] = []
        while visited.count < PeerReturns.limit, let position = waiting.popFirst() {
            // One that is awake exchanges its operations anyway.
            let database = databases[position]
            if database.state == .awake || database.isRemoved || database.isElsewhere { continue }
            visited.append((position, milliseconds + PeerReturns.visitMilliseconds))
            positions.append(position)
        }
        return positions
    }
}

extension NodeCore {
    /// How often the node looks for peers that have come back.
    private static let peersMilliseconds: UInt64 = 250

    /// Has all databases wake when a peer comes back, few at a time.
    mutating func followPeers() {
        guard isServing else { return }
        if now.elapsedMilliseconds >= peersDueMilliseconds {
            peersDueMilliseconds = now.elapsedMilliseconds + Self.peersMilliseconds
            let live = replica.livePeers
            if live.contains(where: { !livePeers.contains($0) }) {
                returns.begin(named.count)
                listDueMilliseconds = 0
            }
            livePeers = live
        }
        publishDueList()
        if returns.isEmpty { return }
        for position in returns.next(named, at: now.elapsedMilliseconds) {
            wake(position, for: .synchronizing)
        }
    }

    /// The peers that the node does not reach.
    var awayPeers: [String] { replica.peerNames.filter { !livePeers.contains($0) } }
}
