import DataTree
import JSONText
import Marks
import SyncProtocol

// Operations that only an evicted member held: they are replayed once that is certain.

extension Replication {
    /// Removes and returns the orphaned batches that no other member holds; returns nil while that is uncertain.
    ///
    /// It is certain once this replica holds everything that the others have, and nodes no longer accept a write
    /// that a client may have requested both here and at another node. Members replay one after another, because
    /// two may have had the same operations.
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

    /// Completes the replay.
    mutating func finishReplay() {
        for incarnation in peers.evictions.own(at: .back) {
            _ = peers.evictions.raise(incarnation, to: .over)
        }
    }

    /// Whether no member holds the batch and no client can request its writes again; a client cannot repeat a
    /// write that a node has stamped.
    private func isLostForGood(_ batch: Batch) -> Bool {
        !peers.writers.contains(batch.origin)
            && batch.operations.allSatisfy {
                $0.stamp.writer == batch.origin || $0.stamp.time <= stableTime
            }
    }

    /// Returns the writes to accept in place of a lost operation; nil if it, or a replacement of it, is held. The
    /// replacement of a transaction that was requested again has the transaction's name.
    ///
    /// Operations that conflict with nothing are replayed: new children of lists, and increments. The others are
    /// quarantined under `_conflicts`, and the user decides. Increments whose clients may have repeated them
    /// elsewhere are quarantined too, because they might count twice.
    mutating func replay(
        of operation: Operation, _ wallMilliseconds: UInt64
    ) -> (writes: [Write], alias: Stamp?)? {
        // Its records are of sessions that have ended with this node's last incarnation.
        if operation.writes.isEmpty, !operation.records.isEmpty { return nil }
        let names = [operation.stamp] + (operation.alias.map { [$0] } ?? [])
        let answers = names.map { deduplicationTable.answer(for: $0) }
        if answers.contains(.done) {
            sometimes(.orphanWasDoneElsewhere)
            return nil
        }
        let mayBeDone = answers.contains(.forgotten)
        if let record = RulesRecord(operation) {
            // Rules that another node was given since are those that count.
            guard isNewest(record) else { return nil }
            counters.replayed += 1
            return (operation.writes, operation.stamp)
        }
        if mayBeDone { sometimes(.orphanMayBeDone) }
        if configuration.orphanPolicy == .replay,
            operation.writes.allSatisfy({ isHarmless($0, mayBeDone: mayBeDone) })
        {
            sometimes(.orphanIsReplayed)
            counters.replayed += 1
            return (operation.writes, operation.stamp)
        }
        sometimes(.orphanIsQuarantined)
        counters.quarantined += 1
        return ([quarantined(operation, wallMilliseconds, mayBeDone: mayBeDone)], nil)
    }

    private func isHarmless(_ write: Write, mayBeDone: Bool) -> Bool {
        if case .deferred(.increment) = write.value { return !mayBeDone }
        guard let key = write.path.last, !write.value.isNull else { return false }
        return PushID(key) != nil && tree.value[write.path].isNull
    }

    /// A write that quarantines an operation.
    private mutating func quarantined(
        _ operation: Operation, _ wallMilliseconds: UInt64, mayBeDone: Bool
    ) -> Write {
        let key = identifiers.nextPushID(at: now.wallMilliseconds)
        let path = Path([
            Key(unchecked: "_conflicts"), Key(unchecked: configuration.member), key,
        ])
        var kept = operation.copy(at: wallMilliseconds) { (Key(unchecked: "value"), $0) }
        let doubt = Path([Key(unchecked: "mayBeDone")])
        if mayBeDone { kept.set(.boolean(true), at: doubt) }
        if (try? kept.validate(at: path)) != nil { return Write(path: path, value: kept) }
        // It would be too deep there, or have too long paths.
        sometimes(.orphanIsKeptAsText)
        kept = operation.copy(at: wallMilliseconds) { (Key(unchecked: "json"), $0.asText) }
        if mayBeDone { kept.set(.boolean(true), at: doubt) }
        return Write(path: path, value: kept)
    }
}

extension Operation {
    /// The operation's writes, as text for operators.
    ///
    /// - Parameter form: The name and the form that each written value gets.
    fileprivate func copy(
        at wallMilliseconds: UInt64, _ form: (Value) -> (name: Key, value: Value)
    ) -> Value {
        var kept = Value.null
        kept.set(.integer(Int64(clamping: wallMilliseconds)), at: Path([Key(unchecked: "at")]))
        for (index, write) in writes.enumerated() {
            let place = Path([Key(unchecked: "writes"), Key(index: index)])
            let (name, value) = form(write.value)
            kept.set(.string("\(write.path)"), at: place.appending(Key(unchecked: "path")))
            kept.set(value, at: place.appending(name))
        }
        return kept
    }
}

extension Value {
    /// Its JSON as a string; where that is longer than a string may be, as a list of its pieces.
    fileprivate var asText: Value {
        let text = JSONWriter.text(of: self, form: .export)
        if text.utf8.count <= Limits.stringBytes { return .string(text) }
        var (pieces, rest) = (Children(), text.unicodeScalars[...])
        while !rest.isEmpty {
            // A character has four bytes at most.
            let piece = rest.prefix(Limits.stringBytes / 4)
            pieces[Key(index: pieces.count)] = .string(String(piece))
            rest = rest.dropFirst(piece.count)
        }
        return Value(pieces)
    }
}
