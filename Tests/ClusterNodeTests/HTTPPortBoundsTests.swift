import DataTree
import EventLoop
import GatewayCore
import HTTPText
import ReplicaCore
import Sockets
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import ClusterNode

// What the port of a node does with clients that are gone, slow, or send too much.

extension `A node's HTTP port` {
    @Test func `reports the end of a client, and drops replies to it`() throws {
        var client: NodeSocket? = try connect()
        client?.send([1])
        try turn()
        let session = try #require(session)
        client = nil
        try turn()
        #expect(inputs.contains { if case .closed(session) = $0 { true } else { false } })
        #expect(port.count == 0)
        port.reply([1], to: session)
        #expect(port.droppedReplies == 1)
    }

    @Test func `reports when much data waits for a client, and when it is sent`() throws {
        let client = try connect()
        client.send([1])
        try turn()
        let session = try #require(session)
        // Twice, as it is said each time.
        for _ in 0..<2 {
            inputs = []
            var sent = 0
            for _ in 0..<1_000 where inputs.isEmpty {
                for _ in 0..<16 { port.reply([UInt8](repeating: 7, count: 64 << 10), to: session) }
                sent += 16
                try turn(1)
            }
            guard case .backpressured(session)? = inputs.first else {
                Issue.record("\(inputs)")
                return
            }
            #expect(port.waitingBytes > 1 << 20)
            var received = 0
            for _ in 0..<1_000 where received < sent {
                _ = client.receive { received += $0.count == 64 << 10 ? 1 : 0 }
                try turn(1)
            }
            #expect(received == sent)
            #expect(inputs.count == 2)
            guard case .writable(session)? = inputs.last else {
                Issue.record("\(inputs)")
                return
            }
            #expect(port.waitingBytes == 0)
        }
    }

    @Test func `ends the connection of a client that the core cuts`() throws {
        let client = try connect()
        client.send([1])
        try turn()
        let session = try #require(session)
        node.step(.unsent(session, bytes: 16 << 20))
        #expect(port.count == 1)
        // More than three quarters of what may wait for all clients.
        node.step(.unsent(session, bytes: 17 << 20))
        #expect(port.slowClients == 1)
        #expect(port.count == 0)
        #expect(inputs.contains { if case .closed(session) = $0 { true } else { false } })
    }

    /// The beginning of a frame of a client, of which the last bytes are missing.
    func beginning(_ count: Int, missing: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketWriter.append(
            .binary, [UInt8](repeating: 1, count: count + missing), mask: 77, to: &bytes)
        return bytes.dropLast(missing)
    }

    @Test func `ends the client with the largest incomplete frame if they have too many bytes`()
        throws
    {
        let sockets = try [70_000, 90_000, 30_000].map { count in
            let socket = try plain()
            #expect(socket.send(Array(Self.upgrade.utf8) + beginning(count, missing: 50_000)))
            return socket
        }
        try turn(5)
        for socket in sockets { #expect(socket.receive { _ in }) }
        #expect(sockets[0].send([UInt8](repeating: 1, count: 15_000)))
        try turn(5)
        var answer: [UInt8] = []
        _ = sockets[1].receive { answer += $0 }
        #expect(!sockets[1].receive { answer += $0 })
        #expect(answer == [0x88, 2, 3, 245])
        // What it kept is free again, and what is complete counts no more.
        let next = try plain()
        #expect(next.send(Array(Self.upgrade.utf8) + beginning(40_000, missing: 1)))
        try turn(5)
        #expect(sockets[0].send([UInt8](repeating: 1, count: 35_000)))
        try turn(5)
        #expect(sockets[2].send([UInt8](repeating: 1, count: 49_000)))
        try turn(5)
        for socket in [sockets[0], sockets[2], next] { #expect(socket.receive { _ in }) }
        #expect(inputs.count { if case .requested = $0 { true } else { false } } == 1)
    }
}
