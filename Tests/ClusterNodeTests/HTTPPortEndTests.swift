import EventLoop
import HTTPText
import ReplicaCore
import Sockets
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import ClusterNode

/// How connections end.
extension `A node's HTTP port` {
    @Test func `closes a connection whose request takes too long`() throws {
        let socket = try plain()
        #expect(socket.send(Array("GET / HT".utf8)))
        try turn()
        #expect(port.count == 1)
        var answer: [UInt8] = []
        for _ in 0..<1_000 where socket.receive({ answer += $0 }) {
            try turn(1)
        }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `sends waiting data when it stops, and announces the end`() throws {
        let client = try connect()
        client.send([1])
        try turn()
        port.reply([2], to: try #require(session))
        port.stopReceiving()
        loop.atEndOfTurn = {}
        port.close()
        var replies: [[UInt8]] = []
        _ = client.receive { replies.append($0) }
        #expect(!client.receive { replies.append($0) })
        #expect(replies == [[2]])
    }

    @Test func `forgets a client that has left, and its data`() throws {
        for _ in 0..<10 {
            do {
                let socket = try plain()
                #expect(socket.send(Array(Self.upgrade.utf8) + beginning(90_000, missing: 1)))
                try turn(5)
                #expect(port.count == 1)
                withExtendedLifetime(socket) {}
            }
            try turn()
        }
        #expect(port.count == 0)
        let sockets = try (0..<3).map { _ in
            let socket = try plain()
            #expect(socket.send(Array(Self.upgrade.utf8) + beginning(90_000, missing: 1)))
            try turn(5)
            return socket
        }
        let ended = sockets.count { socket in
            var bytes: [UInt8] = []
            _ = socket.receive { bytes += $0 }
            return bytes.suffix(4) == [0x88, 2, 3, 245]
        }
        #expect(ended == 1)
        let health = try answer(to: "GET /health HTTP/1.0\r\n\r\n")
        #expect(health.text.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `gives a client some seconds to close its side`() throws {
        let socket = try plain()
        #expect(socket.send(Array("\0\0\0\r\n\r\n".utf8)))
        try turn()
        for _ in 0..<4 { port.tick() }
        #expect(port.count == 1)
        port.tick()
        #expect(port.count == 0)
        withExtendedLifetime(socket) {}
    }

    @Test func `accepts no connections and no data while it stops`() throws {
        let client = try connect()
        port.stopReceiving()
        client.send([1])
        let late = try plain()
        try turn(5)
        #expect(inputs.isEmpty)
        #expect(port.count == 1)
        withExtendedLifetime((client, late)) {}
    }

    @Test func `stops as soon as all clients have closed`() throws {
        var client: NodeSocket? = try connect()
        client?.send([1])
        try turn()
        port.stopReceiving()
        client = nil
        loop.atEndOfTurn = {}
        let start = Loop.monotonicNanoseconds
        port.close()
        #expect(port.count == 0)
        #expect(Loop.monotonicNanoseconds - start < 400_000_000)
    }
}
