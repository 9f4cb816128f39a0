import ReplicaCore
import SyncProtocol

// The ends of sessions: what nodes did then.

extension SimulatedRun {
    /// Notices when a node has sent all that it had held back from slow clients.
    mutating func noteCaughtUp(at node: Int) {
        for client in scenario.clients.denseClients where clients[client].isLagging {
            withClient(client) { $0.noteCaughtUp(at: node, in: &$1) }
        }
    }

    /// Records the sessions that ended in the last turn of a node, and what it did then.
    mutating func noteSessionEnds(at node: Int) {
        for end in nodes[node].record.takeClosings()
        where end.session != SimulatedRun.operatorSession {
            let index = Int(end.session.number) - 1
            let connection = connections[index]
            if clients[connection.client].isUser { continue }
            // The writes of a client that was silent for long were done then.
            guard connection.gone?.takesFrames != true, let standing = nodes[node].standing,
                !connection.onDisconnect.isVague, !nodes[node].waitsForRoom
            else { continue }
            var session = SessionEnd(
                session: end.session, client: connection.client, node: node, time: now,
                due: connection.onDisconnect.writes)
            if standing.isOut {
                session.wasPostponed = true
                if !session.due.isEmpty { nodes[node].postponedEnds.append(session) }
                continue
            }
            // They follow an undecided transaction, or the node has rejoined at the end of this turn.
            if !session.due.isEmpty, end.before == end.after {
                nodes[node].leavingEnds.append(
                    LeavingEnd(
                        session: end.session, end: session, writer: standing.writer,
                        before: end.before[standing.writer]))
                continue
            }
            let made = end.before[standing.writer]..<end.after[standing.writer]
            session.made = made.map { Dot(origin: standing.writer, sequence: $0 + 1) }
            record.sessionEnds.append(session)
        }
        noteLeavingEnds(at: node)
    }

    /// Records the ends of sessions whose transactions are decided: the on-disconnect writes are done.
    private mutating func noteLeavingEnds(at node: Int) {
        guard !nodes[node].leavingEnds.isEmpty, let replica = nodes[node].replica else { return }
        let (writer, vector) = (replica.writer, replica.vector)
        for leaving in nodes[node].leavingEnds where leaving.writer == writer {
            if replica.isLeaving(leaving.session) { continue }
            var end = leaving.end
            end.wasPostponed = true
            end.made = (leaving.before..<vector[writer]).map {
                Dot(origin: writer, sequence: $0 + 1)
            }
            record.sessionEnds.append(end)
        }
        nodes[node].leavingEnds.removeAll {
            $0.writer != writer || !replica.isLeaving($0.session)
        }
    }

    /// A node has rejoined: the first operations of its new incarnation are the writes of sessions that ended meanwhile.
    mutating func notePostponedEnds(at node: Int, _ standing: Replica.Standing) {
        let made = (0..<standing.vector[standing.writer]).map {
            Dot(origin: standing.writer, sequence: $0 + 1)
        }
        for var end in nodes[node].postponedEnds {
            end.made = made
            record.sessionEnds.append(end)
        }
        nodes[node].postponedEnds = []
    }
}

extension ClientSettings {
    /// The numbers of the dense programs.
    fileprivate var denseClients: Range<Int> {
        let first = count + listeners + applications
        return first..<first + dense
    }
}
