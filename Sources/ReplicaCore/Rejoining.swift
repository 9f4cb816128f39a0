import Marks
import Store
import SyncProtocol

// How an evicted replica goes from one phase of its rejoin to the next (see `Lifecycle`).

extension Replica {
    /// Continues the rejoin at the end of a turn.
    mutating func continueRejoin() {
        switch lifecycle.rejoin?.phase {
        case nil: if heartbeats.isDue(at: now.elapsedMilliseconds) { replayOrphans() }
        case .transferring: transferInPlaceOfAll()
        case .awaitingMembers: endRejoinWhenAwaited()
        case .recovering: advanceRecovery()
        }
    }

    /// Requests the checkpoint of one live member after another, until one is installed.
    private mutating func transferInPlaceOfAll() {
        if let transfer = lifecycle.transfer {
            if transfer.phase == .complete { return keepOrphans(beyond: transfer.head) }
            if transfer.replacesAll || lifecycle.isInstalling { return }
            // An earlier transfer would continue a log whose incarnations have ended.
            lifecycle.transfer = nil
        }
        let source = lifecycle.rejoin?.nextSource(
            of: replication.peers, at: now.elapsedMilliseconds)
        guard let source else { return abandonForgottenRejoin() }
        lifecycle.beginTransfer(from: source, at: now.elapsedMilliseconds)
        fetch()
    }

    /// Continues with the previous data if all members that knew of the eviction have lost theirs. No member then
    /// holds an operation that relies on the eviction, or a checkpoint to begin from.
    private mutating func abandonForgottenRejoin() {
        guard let rejoin = lifecycle.rejoin,
            rejoin.isForgotten(by: replication.peers, at: now.elapsedMilliseconds)
        else { return }
        sometimes(.evictionIsForgotten)
        for left in lifecycle.abandonRejoin() { write(left) }
    }

    /// Keeps beside the log what a checkpoint does not cover: operations that some member holds come back from
    /// there, the others are orphaned with this incarnation.
    private mutating func keepOrphans(beyond head: [UInt8]) {
        guard replication.ownBatch.isEmpty, replication.turn.entries.isEmpty else { return }
        let held = (try? CheckpointHead(head))?.vector ?? VersionVector()
        if !checkpoints.logGoesBack(to: held) { keepCopy() }
        let origins = vector.entries.filter { $0.sequence > held[$0.origin] }.map(\.origin)
        lifecycle.beginKeepingOrphans(of: origins.count)
        for origin in origins {
            replication.turn.immediate.append(
                .perform(
                    .keepOrphans(origin, after: held[origin], through: vector[origin])))
        }
    }

    /// Keeps a copy of the database. Operations that are only in this replica's checkpoint cannot be replayed, but
    /// an operator can find them in the copy.
    private mutating func keepCopy() {
        sometimes(.orphansAreOnlyInTheCheckpoint)
        replication.turn.immediate.append(
            .backUp(name: "evicted-\(now.wallMilliseconds)", id: 0, for: .none))
    }

    /// Begins a new incarnation on the data of another member; it announces that its predecessors have ended.
    mutating func beginIncarnation() {
        replication.beginIncarnation(after: lifecycle.completeInstallation())
        coordination.change(own: writer)
        endSettledSessions()
        sessions.disconnects.changeAll()
    }

    private mutating func endRejoinWhenAwaited() {
        guard replication.peers.isAwaited(at: now.elapsedMilliseconds) else { return }
        replication.finishRejoin()
        for left in lifecycle.completeRejoin() { write(left) }
    }

    /// Replays the orphaned operations that no other member holds.
    private mutating func replayOrphans() {
        guard lifecycle.isOpen, let lost = replication.takeLostOrphans() else { return }
        for batch in lost {
            for operation in batch.operations {
                guard let replay = replication.replay(of: operation, batch.wallMilliseconds)
                else { continue }
                accept(replay.writes, alias: replay.alias, for: operation.attribution)
            }
        }
        replication.finishReplay()
    }
}
