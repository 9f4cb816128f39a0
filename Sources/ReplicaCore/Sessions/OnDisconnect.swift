import DataTree
import SyncProtocol

// On-disconnect writes wait at their client's node. Those of a node that is killed are in its records.

/// The on-disconnect writes of a client whose connection has ended.
struct LeftWrites: Equatable {
    let session: SessionID
    var writes: [Write]
    /// A time at or above the stamps of the client's own writes.
    var writtenTime = HybridTime.zero
}

/// The part of them that the rules permit, and the client's attribution.
struct PermittedWrites: Equatable {
    let writes: [Write]
    let attribution: Attribution?
    /// The record of the session, which is removed with them.
    var record: DisconnectRecord.Name?
}

extension Sessions {
    private static let probeMilliseconds: UInt64 = 1_000

    /// Keeps writes until their client's connection ends.
    mutating func addDisconnect(
        _ writes: [Write], _ id: UInt64, _ session: SessionID, at now: Moment
    ) {
        do throws(DataError) {
            for write in writes { try write.value.validate(at: write.path) }
        } catch {
            return refuse(.invalid, error.problem, fix: error.fix, id, session)
        }
        do throws(RequestFailure) {
            try disconnects.add(writes, for: session, at: now.elapsedMilliseconds)
            send(.ok(id: id), to: session)
        } catch {
            refuse(error, id, session)
        }
    }

    /// Sends a probe once a second to each client with on-disconnect writes. A driver detects by it that a client
    /// has left; a silent client counts as gone too.
    ///
    /// Sessions of values are not probed. Their clients send a message every 45 seconds only, and the driver that
    /// opened the session ends it.
    ///
    /// - Returns: The on-disconnect writes of clients that have left.
    mutating func probeDisconnects(at now: Moment) -> [LeftWrites] {
        if disconnects.isEmpty {
            nextProbeMilliseconds = now.elapsedMilliseconds + Sessions.probeMilliseconds
        }
        guard now.elapsedMilliseconds >= nextProbeMilliseconds else { return [] }
        nextProbeMilliseconds = now.elapsedMilliseconds + Sessions.probeMilliseconds
        var left: [LeftWrites] = []
        for session in disconnects.silent(at: now.elapsedMilliseconds)
        where !isOfValues(session) {
            guard left.isEmpty || !shares.isTurnSpent else {
                // The others in the next turns.
                nextProbeMilliseconds = now.elapsedMilliseconds
                return left
            }
            listens.removeAll(of: session)
            left.append(takeDisconnects(of: session))
            send(
                .error(
                    id: 0, code: .unavailable,
                    problem: "this client has been silent for "
                        + "\(Disconnects.silenceMilliseconds / 1_000) s",
                    fix: "connect again, and ping while writes wait for the connection's end"),
                to: session)
        }
        // Sent at once, as probes show no data: behind a disk that is full for hours, they would pile up.
        for session in disconnects.all where !isOfValues(session) {
            sendAtOnce(.ok(id: 0), to: session)
        }
        return left
    }

    /// Removes and returns the on-disconnect writes of all sessions, ascending by session.
    mutating func takeDisconnects() -> [LeftWrites] {
        disconnects.all.map { takeDisconnects(of: $0) }
    }

    /// Removes and returns the on-disconnect writes of a session.
    mutating func takeDisconnects(of session: SessionID) -> LeftWrites {
        let (time, bytes) = (
            disconnects.writtenTime(of: session), disconnects.byteCount(of: session)
        )
        let writes = disconnects.remove(session)
        if !writes.isEmpty { shares.spend(leftWrites: writes.count, bytes: bytes) }
        return LeftWrites(session: session, writes: writes, writtenTime: time)
    }
}
