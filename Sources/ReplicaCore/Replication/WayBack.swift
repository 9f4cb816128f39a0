import DataTree
import SyncProtocol

// How an evicted member comes back: with the data of another one, as another writer, and with what it alone
// had done again.

/// Where an evicted replica is on its way back.
struct WayBack: Sendable {
    enum Phase: Equatable, Sendable {
        /// Until all rows of another member's checkpoint are here.
        case fetching
        /// Until so many ends of logs, which that checkpoint does not cover, are kept beside the log.
        case settingAside(Int)
        /// Until the checkpoint has taken the place of all else.
        case adopting
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
    public var isOut: Bool { wayBack != nil }

    /// Whether it is not, and has nothing left to do again.
    public var isWhole: Bool { wayBack == nil && aside.isEmpty }

    /// Somebody knows that lives of this member are over, on whose data it lives.
    mutating func noteEnd(_ lives: [Eviction]) {
        guard !lives.isEmpty else { return }
        if wayBack == nil || wayBack?.phase == .returning {
            wayBack = WayBack(phase: .fetching, left: wayBack?.left ?? [])
        }
        let known = Set(wayBack?.ended.map(\.writer) ?? [])
        wayBack?.ended += lives.filter { !known.contains($0.writer) }
    }

    /// Goes on with coming back, at the end of a turn.
    mutating func continueWayBack() {
        switch wayBack?.phase {
        case nil: if now.elapsedMilliseconds >= nextBeatMilliseconds { doAsideAgain() }
        case .fetching: fetchInPlaceOfAll()
        case .settingAside: break
        case .adopting: if joining == nil { wayBack?.phase = .fetching }
        case .returning: if peers.isAwaited(at: now.elapsedMilliseconds) { endWayBack() }
        }
    }

    /// Asks one live member after the other, until all rows of one are here.
    private mutating func fetchInPlaceOfAll() {
        if let joining {
            if joining.phase == .complete, joining.replacesAll { setAside(beyond: joining.head) }
            if joining.replacesAll || isAdopting { return }
            // What it was getting before would have gone below its log, which is of lives that are over.
            self.joining = nil
        }
        guard let wayBack, now.elapsedMilliseconds >= wayBack.nextMilliseconds else { return }
        let sources = peers.members.filter { peer in
            guard let beat = peer.beat else { return false }
            return peers.isLive(peer, at: now.elapsedMilliseconds)
                && wayBack.ended.allSatisfy { beat.evictions.hasOver($0) }
        }
        guard let source = sources.first(where: { $0.member > wayBack.source }) ?? sources.first
        else { return }
        self.wayBack?.source = source.member
        self.wayBack?.nextMilliseconds = now.elapsedMilliseconds + WayBack.patienceMilliseconds
        join(inPlaceOfAllAt: source.member)
    }

    /// Sets aside all that a checkpoint does not cover, once it is in the log: what of it somebody else has
    /// comes back from there, the rest is lost with this life.
    private mutating func setAside(beyond head: [UInt8]) {
        guard batch.isEmpty, turn.entries.isEmpty else { return }
        let held = (try? CheckpointHead(head))?.vector ?? Vector()
        if !checkpoints.logGoesBack(to: held) { keepCopy() }
        let origins = vector.entries.filter { $0.sequence > held[$0.origin] }.map(\.origin)
        wayBack?.phase = origins.isEmpty ? .adopting : .settingAside(origins.count)
        for origin in origins { turn.urgent.append(.setAside(origin, after: held[origin])) }
    }

    /// What is in this replica's own checkpoint alone cannot be done again: who has lost it, and all others, may
    /// look for it in a copy.
    private mutating func keepCopy() {
        turn.urgent.append(
            .backUp(name: "evicted-\(now.wallMilliseconds)", id: 0, for: .none))
    }

    mutating func noteAside(_ batches: [[UInt8]]) {
        guard case .settingAside(let count) = wayBack?.phase else { return }
        aside = batches
        wayBack?.phase = count > 1 ? .settingAside(count - 1) : .adopting
    }

    /// Has the data of another member: begins a new life, which tells that it knows of the end of those
    /// before.
    mutating func comeBack() {
        for life in wayBack?.ended ?? [] { _ = peers.evictions.raise(life, to: .out) }
        wayBack = WayBack(phase: .returning, left: wayBack?.left ?? [])
        beginLife()
    }

    /// The others wait for this member: from now on it makes operations, later than all that may have been
    /// settled without it.
    private mutating func endWayBack() {
        for life in peers.evictions.own(at: .out) { _ = peers.evictions.raise(life, to: .back) }
        promised = max(promised, clock.last)
        counters.returns += 1
        let left = wayBack?.left ?? []
        wayBack = nil
        for writes in left { write(left: writes) }
    }
}

// MARK: - What was set aside

extension Replica {
    /// Does again what was set aside and nobody has: once this replica holds all that the others have, and no
    /// node can take a write any more that a client may have asked for here and elsewhere.
    private mutating func doAsideAgain() {
        let lives = peers.evictions.own(at: .back)
        guard !aside.isEmpty || !lives.isEmpty, life.isServing, peers.hold(all: vector),
            !peers.evictions.isPrecededByOther
        else { return }
        let lost = aside.compactMap { try? BatchCoding.decode($0) }
            .filter { $0.last > vector[$0.origin] }
        guard lost.allSatisfy({ isLostForGood($0) }) else { return }
        turn.clearsAside = !aside.isEmpty
        aside.removeAll()
        for batch in lost {
            for operation in batch.operations where !isDone(operation) {
                doAgain(operation, batch.wallMilliseconds)
            }
        }
        for life in lives { _ = peers.evictions.raise(life, to: .over) }
    }

    /// Whether an operation, or another one in its place, is here: also a transaction that was asked for
    /// again, under its name.
    private func isDone(_ operation: Operation) -> Bool {
        clientStamps.answer(for: operation.stamp) == .done
            || operation.again.map { clientStamps.answer(for: $0) == .done } ?? false
    }

    /// Whether nobody has the batch, and no client asks for it any more: what a node has stamped itself none
    /// can ask for again.
    private func isLostForGood(_ batch: Batch) -> Bool {
        !peers.writers.contains(batch.origin)
            && batch.operations.allSatisfy {
                $0.stamp.writer == batch.origin || $0.stamp.time <= frontier
            }
    }

    /// What cannot be in anybody's way is done again: a new child of a list, an increment. The rest is
    /// kept for somebody to decide, under `_conflicts`.
    private mutating func doAgain(_ operation: Operation, _ wallMilliseconds: UInt64) {
        if configuration.leftovers == .redo, operation.writes.allSatisfy({ isHarmless($0) }) {
            counters.rebased += 1
            return accept(operation.writes, again: operation.stamp)
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
