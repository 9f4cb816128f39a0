import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import ClusterNode

// The order in which the port of a node sends answers and deliveries.

extension `A node's HTTP port` {
    /// Connects clients that have sent one frame each, some seconds ago.
    private func listeners(_ count: Int) throws -> [(client: NodeSocket, session: SessionID)] {
        let listeners = try (0..<count).map { _ in
            inputs = []
            let client = try connect()
            client.send([1])
            try turn()
            return (client, try #require(session))
        }
        for _ in 0..<3 { port.tick() }
        return listeners
    }

    private func frames(_ client: NodeSocket) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        _ = client.receive { frames.append($0) }
        return frames
    }

    @Test func `answers leave before deliveries, which follow some at a time`() throws {
        let listeners = try listeners(4)
        listeners[3].client.send([2])
        try turn()
        port.flushQueue.connectionsPerTurn = 2
        for listener in listeners { port.reply([7], to: listener.session) }
        port.endTurn()
        #expect(frames(listeners[3].client) == [[7]])
        #expect(listeners.dropLast().map { frames($0.client).count } == [1, 1, 0])
        port.endTurn()
        #expect(frames(listeners[2].client) == [[7]])
    }

    @Test func `deliveries during a long round are gathered for the next one`() throws {
        let listeners = try listeners(3)
        port.flushQueue.connectionsPerTurn = 2
        port.flushQueue.roundNanoseconds = 60_000_000_000
        for number in UInt8(0)..<3 {
            for listener in listeners { port.reply([number], to: listener.session) }
            port.endTurn()
        }
        #expect(listeners.map { frames($0.client) } == [[[0]], [[0]], [[0], [1]]])
        port.endTurn()
        #expect(frames(listeners[1].client).isEmpty)
        // Much data does not wait for the time of the next round.
        let large = [UInt8](repeating: 9, count: 900_000)
        for _ in 0..<20 { port.reply(large, to: listeners[0].session) }
        port.endTurn()
        #expect(frames(listeners[1].client) == [[1], [2]])
    }

    @Test func `an answer takes the deliveries before it along, in their order`() throws {
        let listeners = try listeners(2)
        port.flushQueue.connectionsPerTurn = 1
        for listener in listeners { port.reply([7], to: listener.session) }
        listeners[1].client.send([2])
        try turn(1)
        port.reply([8], to: listeners[1].session)
        port.endTurn()
        #expect(frames(listeners[1].client).prefix(2) == [[7], [8]])
    }
}
