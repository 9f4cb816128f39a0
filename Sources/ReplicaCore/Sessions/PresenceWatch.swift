import DataTree
import Marks
import Rules
import SyncProtocol

/// The incarnations of nodes that have ended, or are silent, while clients were connected to them: others do the
/// on-disconnect writes of these clients.
///
/// A node that starts does those of its earlier incarnations. The coordinator does those of a node that is silent for a
/// configured time, or evicted. The operation of each session has its writes and removes its record, and its stamp is
/// just above the last one of the incarnation: the user's presence that another node has accepted since is later.
/// Such a stamp must be above the closed timestamp of this node, which therefore waits for these operations. That
/// costs nothing: the stable time waits for the silent node anyway.
struct PresenceWatch: Sendable {
    /// The sessions of an incarnation whose writes a turn does.
    static let sessionsPerTurn = 500
    /// About how many bytes of them a turn does.
    static let bytesPerTurn = 1 << 20
    private static let lookMilliseconds: UInt64 = 100

    /// The configured time; 0 if the coordinator waits for a silent node for ever.
    private let patienceMilliseconds: UInt64
    private var nextMilliseconds: UInt64 = 0
    /// Since when incarnations with records are silent.
    private var silentSince: [WriterID: UInt64] = [:]
    /// The earlier incarnations of this node that have records, ascending.
    private(set) var own: [WriterID] = []
    /// The incarnations of other nodes whose sessions have ended for the coordinator, ascending.
    private(set) var ended: [WriterID] = []
    /// The closed timestamp does not advance beyond this time: not beyond the last heartbeat of a node that has clients with
    /// on-disconnect writes.
    private(set) var closingLimit = HybridTime.latest
    /// Whether a turn has left sessions for the next one.
    var hasMore = false
    private(set) var contact = Contact()
    /// The sessions of this node, by the locations of their recorded on-disconnect writes; nil once that has changed.
    var registered: [Path: [SessionID]]?
    /// No other operations than those of `stampOfEnd()` have stamps of this writer.
    var writerOfEnds: WriterID?
    private var notedMilliseconds: UInt64 = 0

    /// The contact of this node with most of the others.
    struct Contact: Sendable {
        /// Whether it has contact, and everything that the others had when it began.
        fileprivate(set) var isHeld = false
        /// The last moment of contact, in hybrid time.
        fileprivate(set) var time = HybridTime.zero
        /// Since when there has been none; nil before the first look.
        fileprivate(set) var lostMilliseconds: UInt64?
        /// What the others had when the contact began.
        fileprivate var target: VersionVector?
    }

    init(patienceMilliseconds: UInt64) { self.patienceMilliseconds = patienceMilliseconds }

    /// There is nothing to watch.
    mutating func rest() {
        if closingLimit == .latest { return }
        (own, ended, silentSince, closingLimit) = ([], [], [:], .latest)
    }

    /// Looks at all again in the next turn.
    mutating func hasten() { nextMilliseconds = 0 }

    /// Finds out whose sessions have ended.
    ///
    /// - Parameter hasSessions: Whether clients of this node have on-disconnect writes.
    mutating func look(at replication: Replication, hasSessions: Bool) {
        let milliseconds = replication.now.elapsedMilliseconds
        guard milliseconds >= nextMilliseconds else { return }
        nextMilliseconds = milliseconds + PresenceWatch.lookMilliseconds
        (own, ended) = ([], [])
        let isAlone = hasSessions && !contact.isHeld && !replication.peers.all.isEmpty
        closingLimit = isAlone ? contact.time : .latest
        let records = replication.disconnectRecords
        let writers = records.writers
        if !silentSince.isEmpty {
            silentSince = silentSince.filter { writers.contains($0.key) }
        }
        for writer in writers where writer != replication.writer {
            let member = records.member(of: writer) ?? ""
            if member == replication.configuration.member {
                own.append(writer)
                closingLimit = .zero
                continue
            }
            guard let peer = replication.peers.all.first(where: { $0.member == member }),
                !replication.peers.isOut(peer)
            else {
                ended.append(writer)
                closingLimit = .zero
                continue
            }
            let isCurrent = peer.heartbeat?.writer == writer
            let limit = isCurrent ? peer.heartbeat?.time ?? .zero : .zero
            if replication.peers.isLive(peer, at: milliseconds) {
                // A later incarnation does the writes itself.
                silentSince[writer] = nil
                closingLimit = min(closingLimit, limit)
                continue
            }
            let since =
                silentSince[writer]
                ?? (isCurrent && peer.heardMilliseconds > 0
                    ? peer.heardMilliseconds : milliseconds)
            silentSince[writer] = since
            guard patienceMilliseconds > 0 else { continue }
            closingLimit = min(closingLimit, limit)
            if milliseconds >= since + patienceMilliseconds { ended.append(writer) }
        }
    }

    /// Learns whether this node has contact with most of the others.
    mutating func noteContact(of replication: Replication) {
        let peers = replication.peers
        let milliseconds = replication.now.elapsedMilliseconds
        notedMilliseconds = milliseconds
        let isMajority = 2 * (peers.liveCount(at: milliseconds) + 1) > peers.all.count + 1
        guard isMajority else {
            (contact.isHeld, contact.target) = (false, nil)
            contact.lostMilliseconds = contact.lostMilliseconds ?? milliseconds
            return
        }
        if !contact.isHeld {
            var target = contact.target ?? VersionVector()
            if contact.target == nil {
                for peer in peers.all where peers.isLive(peer, at: milliseconds) {
                    for (origin, sequence) in peer.heartbeat?.vector.entries ?? [] {
                        target[origin] = max(target[origin], sequence)
                    }
                }
            }
            contact.target = target
            guard replication.vector.covers(target) else { return }
        }
        contact.isHeld = true
        contact.lostMilliseconds = nil
        contact.time = max(contact.time, replication.clock.last)
    }

    /// Whether this node has been stopped for so long that the others may take it for silent.
    func hasSlept(at milliseconds: UInt64) -> Bool {
        milliseconds >= notedMilliseconds + Peers.silenceMilliseconds / 2
    }

    /// Whether this node, which has started, may do the writes of its earlier incarnations: it has what the others have done
    /// meanwhile, or meets no majority of them.
    func maySettle(at milliseconds: UInt64) -> Bool {
        contact.isHeld
            || contact.lostMilliseconds.map {
                milliseconds >= $0 + Startup.patienceMilliseconds
            } ?? false
    }
}

extension Replica {
    /// Finds out which sessions of other incarnations have ended, and does the on-disconnect writes of this node's own.
    mutating func watchPresence() {
        presence.noteContact(of: replication)
        presence.hasMore = false
        if replication.disconnectRecords.isEmpty, sessions.disconnects.isEmpty {
            return presence.rest()
        }
        presence.look(at: replication, hasSessions: !sessions.disconnects.isEmpty)
        guard !presence.own.isEmpty, lifecycle.isOpen, !lifecycle.isRejoining,
            storageFailure == nil, presence.maySettle(at: now.elapsedMilliseconds)
        else { return }
        let live = Set(sessions.disconnects.allRecorded.map(\.record))
        for writer in presence.own { settle(writer, except: live) }
        presence.hasten()
    }

    /// Does the on-disconnect writes of nodes that are gone, as the coordinator.
    mutating func settleEndedNodes() {
        guard !presence.ended.isEmpty, storageFailure == nil else { return }
        for writer in presence.ended { settle(writer) }
        presence.hasten()
    }

    /// Does the on-disconnect writes of the sessions of an incarnation: an operation for each.
    private mutating func settle(
        _ ended: WriterID, except live: Set<DisconnectRecord.Name> = []
    ) {
        let names = replication.disconnectRecords.sessions(of: ended)
            .map { DisconnectRecord.Name(writer: ended, session: $0) }
            .filter { !live.contains($0) }
        if names.isEmpty { return }
        var time = max(
            replication.closedTimestamp.time, replication.disconnectRecords.lastTime(of: ended))
        let later = replication.disconnectRecords.registrations(except: ended)
        // No other operation has the stamps of this writer.
        let executor = replication.identifiers.nextWriter()
        var (count, bytes) = (0, 0)
        for name in names.prefix(PresenceWatch.sessionsPerTurn)
        where bytes < PresenceWatch.bytesPerTurn {
            count += 1
            guard let entry = replication.disconnectRecords[name], let content = entry.content
            else { continue }
            sometimes(.sessionOfEndedNodeIsSettled)
            bytes += content.writes.reduce(0) { $0 + $1.value.estimatedSize }
            time = time.successor
            let principal = Principal(recorded: content.principal) ?? .anonymous
            let left = content.writes.filter {
                later.isEmpty || !$0.path.isCovered(by: later, after: entry.stamp)
            }
            let writes = permitted(left, for: sessions.access.user(principal))
            write(
                PermittedWrites(
                    writes: writes.resolvingTimestamps(at: now.wallMilliseconds),
                    attribution: sessions.access.attribution(of: principal), record: name),
                stamp: Stamp(time: time, writer: executor))
        }
        if names.count > count { presence.hasMore = true }
    }
}

// MARK: - Sessions of a node that was cut off

extension Replica {
    /// Ends the sessions whose on-disconnect writes another node has done, before they are shown the results: their clients
    /// connect again, and say that they are there.
    ///
    /// Those that have registered the same locations later end, too: the other node did not know them.
    mutating func endSettledSessions(by applied: AppliedOperation) {
        let operation = applied.operation
        for record in operation.records where record.content == nil {
            let session = SessionID(number: record.name.session)
            guard sessions.disconnects.record(of: session) == record.name else { continue }
            endSettled(session, at: operation.stamp.time)
        }
        guard !sessions.disconnects.isEmpty, !applied.changes.isEmpty,
            let registration = applied.registration,
            !operation.records.contains(where: { $0.name.writer == applied.origin })
        else { return }
        let registered = presence.registered ?? registeredSessions()
        presence.registered = registered
        let overlapping = operation.writes.flatMap { $0.path.andAbove }
            .flatMap { registered[$0] ?? [] }
        for session in Set(overlapping).sorted() {
            guard let name = sessions.disconnects.record(of: session),
                let own = replication.disconnectRecords[name]?.stamp, own > registration
            else { continue }
            sometimes(.settledSessionLives)
            tellToConnectAgain(session)
        }
    }

    /// The sessions of this node, by the locations of their recorded on-disconnect writes.
    private func registeredSessions() -> [Path: [SessionID]] {
        var registered: [Path: [SessionID]] = [:]
        for (session, _) in sessions.disconnects.allRecorded {
            for path in sessions.disconnects.locations(of: session) {
                registered[path, default: []].append(session)
            }
        }
        return registered
    }

    /// Ends these sessions after another node's data have replaced this node's.
    mutating func endSettledSessions() {
        for (session, record) in sessions.disconnects.allRecorded
        where replication.disconnectRecords[record]?.content == nil {
            endSettled(session, at: .zero)
        }
    }

    private mutating func endSettled(_ session: SessionID, at time: HybridTime) {
        sometimes(.settledSessionLives)
        var left = sessions.takeDisconnects(of: session)
        sessions.disconnects.note(nil, of: session)
        // The other node did not know what the client has written since. Increments would count twice.
        left.writes.removeAll { $0.value.resolvingTimestamps(at: 0).containsDeferred }
        if left.writtenTime > time, time > .zero {
            let last = max(left.writtenTime, replication.closedTimestamp.time)
            let writer = replication.identifiers.nextWriter()
            write(permitted(left), stamp: Stamp(time: last.successor, writer: writer))
        }
        tellToConnectAgain(session)
    }

    private mutating func tellToConnectAgain(_ session: SessionID) {
        guard sessions.overtaken.insert(session).inserted else { return }
        sessions.listens.removeAll(of: session)
        sessions.send(
            .error(
                id: 0, code: sessions.isOfValues(session) ? .undecided : .unavailable,
                problem: "another node, which had no contact with this one, has done on-disconnect "
                    + "writes of this connection, or of an earlier one at the same location",
                fix: "connect again"),
            to: session)
    }

    /// The stamp of the on-disconnect writes of a session that ends: just above everything that this node has applied, and
    /// not of this moment. The user may be at another node by now, which has not heard of this one meanwhile, and whose clock is
    /// behind.
    mutating func stampOfEnd() -> Stamp {
        let last = max(replication.lastAppliedTime, replication.closedTimestamp.time)
        let writer = presence.writerOfEnds ?? replication.identifiers.nextWriter()
        presence.writerOfEnds = writer
        return Stamp(time: last.successor, writer: writer)
    }
}

extension Path {
    /// Whether a later registration is for this location or one above it: its user is there again.
    fileprivate func isCovered(by registrations: [Path: Stamp], after stamp: Stamp) -> Bool {
        andAbove.contains { registrations[$0].map { $0 > stamp } ?? false }
    }

    /// This location and those above it.
    fileprivate var andAbove: [Path] {
        (0...keys.count).map { Path(Array(keys.prefix($0))) }
    }
}
