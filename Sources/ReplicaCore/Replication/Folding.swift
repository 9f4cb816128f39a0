import SyncProtocol

// How incarnations that are over come to cost nothing: the members fold the origins that they all hold alike, and
// leave them out of their heartbeats. Source: `replication-protocol.md`, "Folded origins".

extension Peers {
    /// So long after a node that may not have folded the same has said something, heartbeats name all origins.
    static let namingMilliseconds: UInt64 = 2_000

    /// The origins to fold from now on; nil where nothing changes.
    ///
    /// They are those of closed writers of which all members hold as much as this replica. All members come to the
    /// same ones, because nothing is added to what they hold of such writers once they agree on who is closed.
    ///
    /// - Parameter limit: As many closed writers may stay unfolded.
    /// - Complexity: O(1) mostly; O(origins) where there is something to fold.
    func folding(of vector: VersionVector, limit: Int) -> FoldedOrigins? {
        let own = vector.folded?.digest
        let differs = members.contains { peer in
            peer.heartbeat?.folding.map { $0.origins != own } ?? false
        }
        guard differs || vector.unfolded.count > writers.count + limit,
            members.allSatisfy({ peer in peer.heartbeat.map { isAgreed($0) } ?? false })
        else { return nil }
        let held = members.compactMap { $0.heartbeat?.vector }
        let origins = vector.folding { origin, sequence in
            !writers.contains(origin) && held.allSatisfy { $0[origin] == sequence }
        }
        return origins?.digest == own ? nil : origins
    }

    /// Shares folded origins with the vectors of the last heartbeats.
    mutating func fold(_ origins: FoldedOrigins) {
        changeHeartbeats { $0.vector.fold(origins) }
    }

    /// Whether all peers have folded these origins too, as far as this replica knows, so that heartbeats need not name them.
    func haveFolded(_ origins: FoldedOrigins.Digest, at elapsedMilliseconds: UInt64) -> Bool {
        elapsedMilliseconds >= namesAllUntilMilliseconds
            && all.allSatisfy { $0.heartbeat?.folding?.origins == origins }
    }
}

extension Heartbeat {
    /// The heartbeat with the origins that it leaves out; nil if they are other ones than this replica has folded.
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
