import GatewayCore
import ReplicaCore
import SyncProtocol

// The sessions of Firebase clients at nodes, as a node's gateway has them.

extension SimulatedRun {
    static func session(of connection: Int) -> SessionID {
        SessionID(number: UInt64(connection) + 1)
    }

    /// Gives an input about a session to its node, unless that is another process by now.
    mutating func tell(_ input: ReplicaCore.Input, on index: Int) {
        let connection = connections[index]
        guard nodes[connection.node].incarnation == connection.incarnation else { return }
        give(input, to: connection.node)
    }

    /// A message of a Firebase client reaches its node; the first one is its upgrade.
    mutating func takeMessage(_ text: [UInt8], on index: Int) {
        let node = connections[index].node
        guard nodes[node].isUp else { return }
        let moment = nodes[node].clock.moment(at: now)
        if realtime[index] != nil {
            return perform(realtime[index]!.received(text, at: moment, by: reader), on: index)
        }
        if let old = connection(named: String(decoding: text.dropFirst(3), as: UTF8.self), at: node)
        {
            endSession(old)
        }
        tell(.opened(SimulatedRun.session(of: index)), on: index)
        var session = RealtimeSession(
            name: SimulatedRun.name(of: index), host: nodes[node].name, at: moment)
        let effects = session.begin(at: moment)
        realtime[index] = session
        perform(effects, on: index)
    }

    private static func name(of connection: Int) -> String {
        let digits = String(connection)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The connection whose session has a name, at this process of a node.
    private func connection(named name: String, at node: Int) -> Int? {
        guard let index = Int(name), realtime[index] != nil, connections[index].node == node,
            connections[index].incarnation == nodes[node].incarnation
        else { return nil }
        return index
    }

    /// The replica's answers to a session.
    mutating func answer(
        _ answers: [SessionAnswer], to session: SessionID, sharing texts: inout GatewayTexts
    ) {
        let index = Int(session.number) - 1
        guard realtime[index] != nil else { return }
        perform(realtime[index]!.answered(answers, sharing: &texts), on: index)
        while realtime[index]?.isWaiting == true { perform(realtime[index]!.resume(), on: index) }
    }

    private mutating func perform(_ effects: [RealtimeEffect], on index: Int) {
        let session = SimulatedRun.session(of: index)
        for effect in effects {
            switch effect {
            case .send(let text): reply(text, to: session)
            case .identify(let principal):
                quiescence.fail("a node without secrets takes a client for \(principal)")
            case .ask(let messages): tell(.requestedMessages(messages, by: session), on: index)
            case .close(let code):
                quiescence.fail("a node closes connection \(index) with \(code)")
            case .delayRefusal: quiescence.fail("a node refuses a credential, and knows none")
            }
        }
    }
}
