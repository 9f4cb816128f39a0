import DataTree
import SyncProtocol

// What a client wants written once it is gone. It waits in this node's memory: a node that is killed forgets it,
// one that stops writes it.

extension Sessions {
    private static let probeMilliseconds: UInt64 = 1_000

    /// Keeps writes until their client is gone.
    mutating func addDisconnect(
        _ writes: [Write], _ id: UInt64, _ session: SessionID, at now: Moment
    ) {
        do throws(DataError) {
            for write in writes { try write.value.validate(at: write.path) }
        } catch {
            return refuse(.invalid, error.problem, fix: error.fix, id, session)
        }
        guard disconnects.add(writes, for: session, at: now.elapsedMilliseconds) else {
            return refuse(
                .tooBig, "too much waits to be written when this connection ends",
                fix: "cancel some of it, or write less", id, session)
        }
        send(.ok(id: id), to: session)
    }

    /// Sends something once a second to each client that has writes waiting, for a driver learns from this that
    /// a client is gone; a client that is silent counts as gone.
    ///
    /// - Returns: What the clients that are gone wanted written.
    mutating func probeDisconnects(at now: Moment) -> [[Write]] {
        if disconnects.isEmpty {
            nextProbeMilliseconds = now.elapsedMilliseconds + Sessions.probeMilliseconds
        }
        guard now.elapsedMilliseconds >= nextProbeMilliseconds else { return [] }
        nextProbeMilliseconds = now.elapsedMilliseconds + Sessions.probeMilliseconds
        var left: [[Write]] = []
        for session in disconnects.silent(at: now.elapsedMilliseconds) {
            listens.removeAll(of: session)
            left.append(disconnects.take(session))
            send(
                .error(
                    id: 0, code: .unavailable,
                    problem: "nothing was heard of this client for "
                        + "\(Disconnects.silenceMilliseconds / 1_000) s",
                    fix: "connect again, and ping while writes wait for the connection's end"),
                to: session)
        }
        // At once, as this tells nothing: behind a disk that is full for hours, they would pile up.
        let probe = NodeMessage.ok(id: 0).frame
        for session in disconnects.all { sendAtOnce(probe, to: session) }
        return left
    }

    /// What all clients want written when they are gone, ascending by session.
    mutating func takeDisconnects() -> [[Write]] { disconnects.all.map { disconnects.take($0) } }
}
