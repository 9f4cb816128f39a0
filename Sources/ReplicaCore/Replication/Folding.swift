import SyncProtocol

// The folding of ended incarnations, after which they cost nothing. Members fold the origins that they all hold
// alike, and omit them from their heartbeats. Source: `replication-protocol.md`, "Folded origins".

extension Peers {
    /// After a message of a node that may not have folded the same origins, heartbeats name all origins for this long.
    static let namingMilliseconds: UInt64 = 2_000

    /// The origins to fold; nil if nothing changes.
    ///
    /// They are the closed writers of which all members hold as much as this replica. All members fold the same
    /// ones, because holdings of such writers no longer grow once members agree on which writers are closed.
    ///
    /// - Parameter limit: The number of closed writers that may stay unfolded.
    /// - Complexity: O(1) mostly; O(origins) if there is something to fold.
    func folding(of vector: VersionVector, limit: Int) -> FoldedOrigins? {
        let own = vector.folded?.digest
        let differs = remaining.contains { peer in
            peer.heartbeat?.folding.map { $0.origins != own } ?? false
        }
        guard differs || vector.unfolded.count > writers.count + limit,
            remaining.allSatisfy({ peer in peer.heartbeat.map { isAgreed($0) } ?? false })
        else { return nil }
        let held = remaining.compactMap { $0.heartbeat?.vector }
        let origins = vector.folding { origin, sequence in
            !writers.contains(origin) && held.allSatisfy { $0[origin] == sequence }
        }
        return origins?.digest == own ? nil : origins
    }

    /// Shares folded origins with the vectors of the last heartbeats.
    mutating func fold(_ origins: FoldedOrigins) {
        changeHeartbeats { $0.vector.fold(origins) }
    }

    /// Whether all peers have folded these origins too, as far as this replica knows, so that heartbeats can omit them.
    func haveFolded(_ origins: FoldedOrigins.Digest, at elapsedMilliseconds: UInt64) -> Bool {
        elapsedMilliseconds >= namesAllUntilMilliseconds
            && all.allSatisfy { $0.heartbeat?.folding?.origins == origins }
    }
}

extension Heartbeat {
    /// The heartbeat with the origins that it omits; nil if this replica has folded others.
    func completed(with folded: FoldedOrigins?) -> Heartbeat? {
        guard let folding else { return self }
        var heartbeat = self
        if let folded, folded.digest == folding.origins {
            if folding.areLeftOut {
                heartbeat.vector = vector.adding(folded)
            } else {
                heartbeat.vector.fold(folded)
            }
        } else if folding.areLeftOut {
            return nil
        }
        return heartbeat
    }
}
