import ReplicaCore
import SyncProtocol

// Clients with identities: what nodes know of them, and how their clocks may differ.

extension SimulatedRun {
    /// Probes rules before clients stop.
    mutating func probeUsers() {
        for node in nodes.indices { probeAccess(of: node) }
    }

    /// How far clocks of nodes may be from the true time; nil if faults set them.
    var clockUncertainty: Microseconds? {
        let isSet = scenario.script.contains { scripted in
            if case .fault(let fault) = scripted.action { fault is ClockFault } else { false }
        }
        return isSet ? nil : 2 * scenario.clocks.skew
    }

    /// Reports the identity of a client on a connection of frames to its node, before the next frame.
    mutating func identify(_ connection: Int, as identity: UserIdentity) {
        // Frames that a client sent before it left still arrive.
        guard access != nil, !connections[connection].isIdentified,
            !connections[connection].isOverAtNode
        else { return }
        connections[connection].isIdentified = true
        connections[connection].mayBe = [identity]
        send(
            .identified(SimulatedRun.session(of: connection), identity.principal), on: connection)
    }
}
