import DataTree
import SyncProtocol

// What a client wants written once it is gone. It waits in this node's memory: a node that is killed
// forgets it, one that stops writes it.

extension Replica {
    mutating func noteDisconnect(_ writes: [Write], _ id: UInt64, _ session: SessionID) {
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
        outbox.append(.ok(id: id), to: session)
    }

    /// Does what a session wanted written, as one operation, once.
    mutating func writeDisconnect(of session: SessionID) {
        let writes = disconnects.take(session)
        if writes.isEmpty { return }
        guard rejoin == nil else {
            rejoin?.left.append(writes)
            return
        }
        write(left: writes)
    }

    /// Does what a session wanted written that is gone.
    mutating func write(left writes: [Write]) {
        do throws(DataError) {
            let resolved = try Acceptance.resolveServerValues(
                writes, in: tree.value, wallMilliseconds: now.wallMilliseconds)
            if !resolved.isEmpty { accept(resolved) }
        } catch {
            counters.refused += 1
        }
    }

    /// Says something once a second to each client that has writes waiting, for a driver learns
    /// from this that a client is gone; one that is silent counts as gone.
    mutating func probeDisconnects() {
        if disconnects.isEmpty { nextProbeMilliseconds = now.elapsedMilliseconds + 1_000 }
        guard now.elapsedMilliseconds >= nextProbeMilliseconds else { return }
        nextProbeMilliseconds = now.elapsedMilliseconds + 1_000
        for session in disconnects.silent(at: now.elapsedMilliseconds) {
            listens.removeAll(of: session)
            writeDisconnect(of: session)
            outbox.append(
                .error(
                    id: 0, code: .unavailable,
                    problem: "nothing was heard of this client for "
                        + "\(Disconnects.silenceMilliseconds / 1_000) s",
                    fix: "connect alias, and ping while writes wait for the connection's end"),
                to: session)
        }
        // At once, as this tells nothing: behind a disk that is full for hours, they would pile up.
        let probe = NodeMessage.ok(id: 0).frame
        for session in disconnects.all { turn.immediate.append(.reply(session, probe)) }
    }
}
