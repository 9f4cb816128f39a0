import DataTree
import SyncProtocol

// How a cluster goes on without a member that is gone, and how that member comes back.
//
// Each node that is asked, or hears that another one wants it, notes durably that it wants a life of a
// member to be over; beats tell. Where more than half of all members want it, the writer is closed and
// the member is not waited for. Source: `convergence.md`, section 6.

/// Where an evicted replica is on its way back.
enum WayBack: Equatable, Sendable {
    /// Until all others agree that its writer is closed, and so on what of it they keep.
    case waiting
    /// Until so many ends of its lives are kept beside the log.
    case settingAside(Int)
    /// Until it has the checkpoint of another member.
    case fetching
}

extension Replica {
    mutating func evict(_ member: String, _ id: UInt64, _ session: SessionID) {
        guard let peer = peers.all.first(where: { $0.member == member }) else {
            return refuse(
                .invalid, "\(configuration.member) has no peer \(member)",
                fix: "ask another node for it, or look at the name", id, session)
        }
        if peers.isOut(peer) { return outbox.append(.ok(id: id), to: session) }
        guard let writer = peer.beat?.writer else {
            return refuse(
                .unavailable, "\(configuration.member) has not heard \(member) since it started",
                fix: "ask a node that has been running for longer", id, session)
        }
        guard peers.mayWantMore else {
            return refuse(
                .unavailable, "this cluster remembers \(Eviction.limit) evictions and has no room",
                fix: "restore a backup as a new cluster, which remembers none", id, session)
        }
        want(Eviction(member: member, writer: writer))
        outbox.append(.ok(id: id), to: session)
    }

    /// Notes durably that a life of a member is to be over.
    private mutating func want(_ eviction: Eviction) {
        guard peers.want(eviction) else { return }
        noteEvictions()
        var writer = MessagePackWriter()
        writer.append(peers.wanted)
        turn.properties.append(Property(.evictions, bytes: writer.bytes))
    }

    /// Follows what others want.
    mutating func hear(_ evictions: [Eviction]) {
        for eviction in evictions { want(eviction) }
        noteEvictions()
    }

    /// Closes the writers that are out by now.
    private mutating func noteEvictions() {
        if peers.closeEvicted() { dropClosed() }
    }
}

// MARK: - The way back

extension Replica {
    /// Finds out, at the end of a turn, that a life of this member is over by decision, and goes on with
    /// coming back.
    ///
    /// What only this replica has of its lives is set aside; then all of the old state goes.
    mutating func continueWayBack() {
        switch wayBack {
        case nil:
            let ended = peers.evictedWriters(of: configuration.member)
            if ended.contains(where: { $0 == writer || vector[$0] > peers.shown(of: $0) }) {
                wayBack = .waiting
            } else if life.isServing, !aside.isEmpty {
                doAsideAgain()
            }
        case .waiting: setAside()
        case .fetching where joining == nil:
            if let peer = peers.all.first(where: { peers.isLive($0, at: now.elapsedMilliseconds) })
            {
                join(inPlaceOfAllAt: peer.member)
            }
        default: break
        }
    }

    /// Sets aside what the others do not keep of this member's lives, once they agree on that.
    ///
    /// A life that began after one that is over rests on it, and so nobody could take anything of it.
    private mutating func setAside() {
        let isOut = peers.evictedWriters(of: configuration.member).contains(writer)
        var ends: [(life: WriterID, end: UInt64)] = []
        for life in lives {
            let isOver = life != writer || isOut
            guard let end = isOver ? peers.agreedEnd(of: life) : peers.shown(of: life)
            else { return }
            if vector[life] > end { ends.append((life, end)) }
        }
        guard isOut || !ends.isEmpty else {
            wayBack = nil
            return
        }
        wayBack = ends.isEmpty ? .fetching : .settingAside(ends.count)
        for (life, end) in ends { turn.urgent.append(.setAside(life, after: end)) }
    }

    mutating func noteAside(_ batches: [[UInt8]]) {
        guard case .settingAside(let count) = wayBack else { return }
        aside = batches
        wayBack = count > 1 ? .settingAside(count - 1) : .fetching
    }

    /// Has the checkpoint of another member: begins a new life, and does again what was set aside.
    mutating func comeBack() {
        wayBack = nil
        beginLife()
        doAsideAgain()
    }

    /// Does again what was set aside and went with the old state; what did not go yet is kept.
    private mutating func doAsideAgain() {
        let batches = aside.compactMap { try? BatchCoding.decode($0) }
        aside.removeAll()
        if batches.contains(where: { $0.last <= vector[$0.origin] }) { return }
        turn.clearsAside = true
        for batch in batches {
            for operation in batch.operations {
                // Its client has had it done elsewhere.
                if clientStamps.answer(for: operation.stamp) == .done { continue }
                doAgain(operation, batch.wallMilliseconds)
            }
        }
    }

    /// What cannot be in anybody's way is done again: a new child of a list, an increment. The rest is
    /// kept for somebody to decide, under `_conflicts`.
    private mutating func doAgain(_ operation: Operation, _ wallMilliseconds: UInt64) {
        if configuration.leftovers == .redo, operation.writes.allSatisfy({ isHarmless($0) }) {
            counters.rebased += 1
            return accept(operation.writes)
        }
        counters.quarantined += 1
        var kept = Value.null
        kept.set(.integer(Int64(clamping: wallMilliseconds)), at: Path([Key(unchecked: "at")]))
        for (index, write) in operation.writes.enumerated() {
            let place = Path([Key(unchecked: "writes"), Key(index: index)])
            kept.set(
                .string("\(write.path)"), at: place.appending(Key(unchecked: "path")))
            kept.set(
                write.value.startingIncrements, at: place.appending(Key(unchecked: "value")))
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
