import ReplicaCore
import SyncProtocol

// Sessions that send expensive requests and never wait for answers.

extension SimulatedRun {
    /// Whether a session is a hostile one.
    static func isHostile(_ session: SessionID) -> Bool {
        session.number >= HostileSession.firstNumber && session != operatorSession
    }

    /// Adds the hostile sessions of each node.
    mutating func addHostileSessions(seed: UInt64) {
        for node in nodes.indices {
            nodes[node].smallRequests = SmallRequests()
            population.hostileSessions += (0..<scenario.clients.hostile).map {
                HostileSession($0, at: node, seed: seed)
            }
        }
    }

    /// Executes the next step of each hostile session at a node that serves.
    mutating func actHostile(at node: Int) {
        guard nodes[node].isServing, now < scenario.until else { return }
        for index in population.hostileSessions.indices
        where population.hostileSessions[index].node == node {
            _ = nodes[node].receive(unrecorded: population.hostileSessions[index].next())
        }
    }
}
