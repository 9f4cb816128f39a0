import DataTree
import SyncProtocol

// What an evicted member held and nobody else does: it is replayed once that is certain.

extension Replication {
    /// Takes the orphaned batches that nobody has; nil while that is not certain.
    ///
    /// It is certain once this replica holds all that the others have, and no node can take a write any more that
    /// a client may have asked for here and elsewhere. Members replay one after the other, as two may have had
    /// the same.
    mutating func takeLostOrphans() -> [Batch]? {
        let incarnations = peers.evictions.own(at: .back)
        guard !orphans.isEmpty || !incarnations.isEmpty, peers.isComplete(holding: vector),
            !peers.evictions.isPrecededByOther
        else { return nil }
        let lost = orphans.compactMap { try? BatchCoding.decode($0) }
            .filter { $0.last > vector[$0.origin] }
        guard lost.allSatisfy({ isLostForGood($0) }) else { return nil }
        turn.clearsOrphans = !orphans.isEmpty
        orphans.removeAll()
        return lost
    }

    /// All that this member alone had is replayed.
    mutating func finishReplay() {
        for incarnation in peers.evictions.own(at: .back) {
            _ = peers.evictions.raise(incarnation, to: .over)
        }
    }

    /// Whether nobody has the batch, and no client asks for it any more: no client can ask again for what a node
    /// has stamped itself.
    private func isLostForGood(_ batch: Batch) -> Bool {
        !peers.writers.contains(batch.origin)
            && batch.operations.allSatisfy {
                $0.stamp.writer == batch.origin || $0.stamp.time <= stableTime
            }
    }

    /// What is accepted in place of a lost operation; nil if it, or another one in its place, is here. A
    /// transaction that was asked for again is here under its name.
    ///
    /// What cannot be in anybody's way is replayed: a new child of a list, an increment. The rest is kept for
    /// somebody to decide, under `_conflicts`.
    mutating func replay(
        of operation: Operation, _ wallMilliseconds: UInt64
    ) -> (writes: [Write], alias: Stamp?)? {
        let names = [operation.stamp] + (operation.alias.map { [$0] } ?? [])
        if names.contains(where: { deduplicationTable.answer(for: $0) == .done }) { return nil }
        if configuration.orphanPolicy == .replay, operation.writes.allSatisfy({ isHarmless($0) }) {
            counters.rebased += 1
            return (operation.writes, operation.stamp)
        }
        counters.quarantined += 1
        return ([quarantined(operation, wallMilliseconds)], nil)
    }

    private func isHarmless(_ write: Write) -> Bool {
        if case .deferred(.increment) = write.value { return true }
        guard let key = write.path.last, !write.value.isNull else { return false }
        return PushID(key) != nil && tree.value[write.path].isNull
    }

    /// A write that keeps an operation for somebody to decide.
    private mutating func quarantined(
        _ operation: Operation, _ wallMilliseconds: UInt64
    ) -> Write {
        var kept = Value.null
        kept.set(.integer(Int64(clamping: wallMilliseconds)), at: Path([Key(unchecked: "at")]))
        for (index, write) in operation.writes.enumerated() {
            let place = Path([Key(unchecked: "writes"), Key(index: index)])
            kept.set(.string("\(write.path)"), at: place.appending(Key(unchecked: "path")))
            kept.set(write.value, at: place.appending(Key(unchecked: "value")))
        }
        let key = identifiers.nextPushID(at: now.wallMilliseconds)
        let path = Path([
            Key(unchecked: "_conflicts"), Key(unchecked: configuration.member), key,
        ])
        let isLegal = (try? kept.validate(at: path)) != nil
        return Write(path: path, value: isLegal ? kept : .string("\(operation.writes)"))
    }
}
