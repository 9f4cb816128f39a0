internal import ReplicaCore
internal import SyncProtocol

// The databases that wake because a peer may hold other operations of them.
//
// Nodes publish digests of what their sleeping databases hold: when they reach each other, and from time to time, since frames
// may be lost. A sleeping database wakes if a peer's digest is another one. It also wakes if one of the nodes does not
// know its own, as after a crash while the database was awake. Awake, it announces its operations to the peers, which wakes it there, too.

/// The databases that wake for a moment, few at a time.
struct PeerReturns {
    /// How many databases wake for this reason at a time, and how long one counts among them at most.
    private static let limit = 16
    private static let visitMilliseconds: UInt64 = 5_000

    /// The positions of databases that have yet to wake, in order.
    private var waiting: ArraySlice<Int> = []
    private var visited: [(position: Int, untilMilliseconds: UInt64)] = []

    /// Whether there is nothing to do.
    var isEmpty: Bool { waiting.isEmpty && visited.isEmpty }

    /// Has one more database wake.
    mutating func append(_ position: Int) { waiting.append(position) }

    /// Returns the positions of databases whose turn it is.
    mutating func next(_ databases: [NamedDatabase], at milliseconds: UInt64) -> [Int] {
        visited.removeAll {
            milliseconds >= $0.untilMilliseconds || databases[$0.position].isSynchronized
                || databases[$0.position].state == .asleep
        }
        let positions = Array(waiting.prefix(max(0, PeerReturns.limit - visited.count)))
        waiting.removeFirst(positions.count)
        for position in positions {
            visited.append((position, milliseconds + PeerReturns.visitMilliseconds))
        }
        return positions
    }
}

extension NodeCore {
    /// How often the node looks for peers that have come back.
    private static let peersMilliseconds: UInt64 = 250
    /// How often a node publishes digests while nothing happens.
    private static let digestsMilliseconds: UInt64 = 30_000

    /// Publishes lists and digests when they are due, and has databases wake that differ at a peer.
    mutating func followPeers() {
        guard isServing else { return }
        visitUnclosed()
        if now.elapsedMilliseconds >= peersDueMilliseconds {
            peersDueMilliseconds = now.elapsedMilliseconds + Self.peersMilliseconds
            let live = replica.livePeers
            if live.contains(where: { !livePeers.contains($0) }) { greetReturned() }
            if live != livePeers { inform(.reaches(live)) }
            livePeers = live
        }
        reportMembers()
        publishDueList()
        publishDueDigests()
        publishDueNews()
        makeCatalog()
        if returns.isEmpty { return }
        for position in returns.next(named, at: now.elapsedMilliseconds) {
            named[position].awaitsVisit = false
            wake(position, for: .synchronizing)
        }
    }

    /// Reports the list of nodes to the gateway, and those that are evicted. Commands compare their own list.
    private mutating func reportMembers() {
        let evicted = replica.evictedMembers
        if hasReportedMembers, evicted == evictedMembers { return }
        (hasReportedMembers, evictedMembers) = (true, evicted)
        let members = (replica.peerNames + [replica.memberName]).sorted()
        inform(.members(members, evicted: evicted))
    }

    /// Has those databases wake once after the start that were awake when the last process ended: it may have left on-disconnect
    /// writes of its clients there.
    private mutating func visitUnclosed() {
        if hasVisitedUnclosed { return }
        hasVisitedUnclosed = true
        for position in named.indices where named[position].digest == nil { visit(position) }
    }

    private mutating func greetReturned() {
        (listDueMilliseconds, digestsDueMilliseconds, newsDueMilliseconds) = (0, 0, 0)
        newsRepeats = 2
        for position in named.indices where named[position].digest == nil { visit(position) }
    }

    /// Has a sleeping database wake soon, for a moment. One that is awake exchanges its operations anyway.
    mutating func visit(_ position: Int) {
        guard named[position].state == .asleep, !named[position].isRemoved,
            !named[position].isElsewhere, !named[position].isContested,
            !named[position].awaitsVisit
        else { return }
        named[position].awaitsVisit = true
        returns.append(position)
    }

    private mutating func publishDueDigests() {
        guard now.elapsedMilliseconds >= digestsDueMilliseconds else { return }
        digestsDueMilliseconds = now.elapsedMilliseconds + Self.digestsMilliseconds
        if livePeers.isEmpty || sleepMilliseconds == nil { return }
        let sleeping = named.filter { $0.state == .asleep && !$0.isRemoved && !$0.isElsewhere }
        for start in stride(from: 0, to: sleeping.count, by: DatabaseDigests.limit) {
            let part = sleeping[start...].prefix(DatabaseDigests.limit)
            let digests = DatabaseDigests(
                of: replica.clusterName, part.map { DatabaseDigests.Entry($0.name, $0.digest) })
            outputs.append(.replica(.publish(digests.bytes, .awaited)))
        }
        publishTrees()
    }

    /// Compares the digests of a peer; returns false if the frame has none.
    mutating func receive(digests frame: [UInt8]) -> Bool {
        guard let digests = DatabaseDigests(frame), digests.cluster == replica.clusterName else {
            return false
        }
        for entry in digests.entries {
            guard let position = indexes[entry.name]?.position else { continue }
            if entry.digest == nil || entry.digest != named[position].digest { visit(position) }
        }
        return true
    }

    /// The peers that the node does not reach.
    var awayPeers: [String] { replica.peerNames.filter { !livePeers.contains($0) } }
}
