import DataTree
import SyncProtocol

// How an evicted member comes back: with the data of another one, as another writer, and with what it alone
// had done again.

/// Where an evicted replica is on its way back.
struct Rejoin: Sendable {
    enum Phase: Equatable, Sendable {
        /// Until all rows of another member's checkpoint are here.
        case fetching
        /// Until so many ends of logs, which that checkpoint does not cover, are kept beside the log.
        case keepingOrphans(Int)
        /// Until the checkpoint has taken the place of all else.
        case installing
        /// Until the others wait for this member again.
        case returning
    }

    /// From one try to the next.
    static let patienceMilliseconds: UInt64 = 1_000

    var phase: Phase
    /// The lives of this member that are over.
    var ended: [Eviction] = []
    /// Whom it has asked last, and when it may ask again.
    var source = ""
    var nextMilliseconds: UInt64 = 0
    /// What clients wanted written when they are gone, and meanwhile are.
    var left: [[Write]] = []
}

extension Replica {
    /// Whether this replica knows that it was evicted, and is on its way back.
    public var isOut: Bool { rejoin != nil }

    /// Whether it is not, and has nothing left to do again.
    public var isWhole: Bool { rejoin == nil && orphans.isEmpty }

    /// Somebody knows that lives of this member are over, on whose data it lives.
    mutating func noteEnd(_ incarnations: [Eviction]) {
        guard !incarnations.isEmpty else { return }
        if rejoin == nil || rejoin?.phase == .returning {
            rejoin = Rejoin(phase: .fetching, left: rejoin?.left ?? [])
        }
        let known = Set(rejoin?.ended.map(\.writer) ?? [])
        rejoin?.ended += incarnations.filter { !known.contains($0.writer) }
    }

    /// Goes on with coming back, at the end of a turn.
    mutating func continueRejoin() {
        switch rejoin?.phase {
        case nil: if now.elapsedMilliseconds >= nextHeartbeatMilliseconds { replayOrphans() }
        case .fetching: fetchInPlaceOfAll()
        case .keepingOrphans: break
        case .installing: if transfer == nil { rejoin?.phase = .fetching }
        case .returning: if peers.isAwaited(at: now.elapsedMilliseconds) { endRejoin() }
        }
    }

    /// Asks one live member after the other, until all rows of one are here.
    private mutating func fetchInPlaceOfAll() {
        if let transfer {
            if transfer.phase == .complete, transfer.replacesAll {
                keepOrphans(beyond: transfer.head)
            }
            if transfer.replacesAll || isInstalling { return }
            // What it was getting before would have gone below its log, which is of incarnations that are over.
            self.transfer = nil
        }
        guard let rejoin, now.elapsedMilliseconds >= rejoin.nextMilliseconds else { return }
        let sources = peers.members.filter { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return peers.isLive(peer, at: now.elapsedMilliseconds)
                && rejoin.ended.allSatisfy { heartbeat.evictions.hasOver($0) }
        }
        guard let source = sources.first(where: { $0.member > rejoin.source }) ?? sources.first
        else { return }
        self.rejoin?.source = source.member
        self.rejoin?.nextMilliseconds = now.elapsedMilliseconds + Rejoin.patienceMilliseconds
        join(inPlaceOfAllAt: source.member)
    }

    /// Sets aside all that a checkpoint does not cover, once it is in the log: what of it somebody else has
    /// comes back from there, the rest is lost with this incarnation.
    private mutating func keepOrphans(beyond head: [UInt8]) {
        guard batch.isEmpty, turn.entries.isEmpty else { return }
        let held = (try? CheckpointHead(head))?.vector ?? VersionVector()
        if !checkpoints.logGoesBack(to: held) { keepCopy() }
        let origins = vector.entries.filter { $0.sequence > held[$0.origin] }.map(\.origin)
        rejoin?.phase = origins.isEmpty ? .installing : .keepingOrphans(origins.count)
        for origin in origins { turn.immediate.append(.keepOrphans(origin, after: held[origin])) }
    }

    /// What is in this replica's own checkpoint alone cannot be done again: who has lost it, and all others, may
    /// look for it in a copy.
    private mutating func keepCopy() {
        turn.immediate.append(
            .backUp(name: "evicted-\(now.wallMilliseconds)", id: 0, for: .none))
    }

    mutating func noteOrphans(_ batches: [[UInt8]]) {
        guard case .keepingOrphans(let count) = rejoin?.phase else { return }
        orphans = batches
        rejoin?.phase = count > 1 ? .keepingOrphans(count - 1) : .installing
    }

    /// Has the data of another member: begins a new incarnation, which tells that it knows of the end of those
    /// before.
    mutating func beginRejoin() {
        for incarnation in rejoin?.ended ?? [] { _ = peers.evictions.raise(incarnation, to: .out) }
        rejoin = Rejoin(phase: .returning, left: rejoin?.left ?? [])
        beginIncarnation()
    }

    /// The others wait for this member: from now on it makes operations, later than all that may have been
    /// stable without it.
    private mutating func endRejoin() {
        for incarnation in peers.evictions.own(at: .out) {
            _ = peers.evictions.raise(incarnation, to: .back)
        }
        closedTimestamp = max(closedTimestamp, clock.last)
        counters.returns += 1
        let left = rejoin?.left ?? []
        rejoin = nil
        for writes in left { write(left: writes) }
    }
}

// MARK: - What was set aside

extension Replica {
    /// Does again what was set aside and nobody has: once this replica holds all that the others have, and no
    /// node can take a write any more that a client may have asked for here and elsewhere.
    private mutating func replayOrphans() {
        let incarnations = peers.evictions.own(at: .back)
        guard !orphans.isEmpty || !incarnations.isEmpty, startup.isServing, peers.hold(all: vector),
            !peers.evictions.isPrecededByOther
        else { return }
        let lost = orphans.compactMap { try? BatchCoding.decode($0) }
            .filter { $0.last > vector[$0.origin] }
        guard lost.allSatisfy({ isLostForGood($0) }) else { return }
        turn.clearsOrphans = !orphans.isEmpty
        orphans.removeAll()
        for batch in lost {
            for operation in batch.operations where !isDone(operation) {
                replay(operation, batch.wallMilliseconds)
            }
        }
        for incarnation in incarnations { _ = peers.evictions.raise(incarnation, to: .over) }
    }

    /// Whether an operation, or another one in its place, is here: also a transaction that was asked for
    /// again, under its name.
    private func isDone(_ operation: Operation) -> Bool {
        deduplicationTable.answer(for: operation.stamp) == .done
            || operation.alias.map { deduplicationTable.answer(for: $0) == .done } ?? false
    }

    /// Whether nobody has the batch, and no client asks for it any more: what a node has stamped itself none
    /// can ask for again.
    private func isLostForGood(_ batch: Batch) -> Bool {
        !peers.writers.contains(batch.origin)
            && batch.operations.allSatisfy {
                $0.stamp.writer == batch.origin || $0.stamp.time <= stableTime
            }
    }

    /// What cannot be in anybody's way is done again: a new child of a list, an increment. The rest is
    /// kept for somebody to decide, under `_conflicts`.
    private mutating func replay(_ operation: Operation, _ wallMilliseconds: UInt64) {
        if configuration.orphanPolicy == .replay, operation.writes.allSatisfy({ isHarmless($0) }) {
            counters.rebased += 1
            return accept(operation.writes, alias: operation.stamp)
        }
        counters.quarantined += 1
        var kept = Value.null
        kept.set(.integer(Int64(clamping: wallMilliseconds)), at: Path([Key(unchecked: "at")]))
        for (index, write) in operation.writes.enumerated() {
            let place = Path([Key(unchecked: "writes"), Key(index: index)])
            kept.set(.string("\(write.path)"), at: place.appending(Key(unchecked: "path")))
            kept.set(write.value, at: place.appending(Key(unchecked: "value")))
        }
        let key = pushIDs.next(at: now.wallMilliseconds, random: &random)
        let path = Path([
            Key(unchecked: "_conflicts"), Key(unchecked: configuration.member), key,
        ])
        let isLegal = (try? kept.validate(at: path)) != nil
        accept([Write(path: path, value: isLegal ? kept : .string("\(operation.writes)"))])
    }

    private func isHarmless(_ write: Write) -> Bool {
        if case .deferred(.increment) = write.value { return true }
        guard let key = write.path.last, !write.value.isNull else { return false }
        return PushID(key) != nil && tree.value[write.path].isNull
    }
}
