import ClusterAdministration
import DataTree
import SyncProtocol
import Testing

@testable import ClusterNode

// Large answers to native clients, which leave in fragments as the clients read them.

extension `A node's HTTP port` {
    private static let large: (frame: LargeFrame, bytes: [UInt8]) = {
        var children = Children()
        for number in 0..<100_000 {
            children[Key(unchecked: "key\(number)")] = .string("value \(number) of a large list")
        }
        let message = NodeMessage.value(id: 1, value: Value(children))
        var frame = FrameWriter()
        frame.append(deferring: message)
        return (frame.largeFrame, message.frame)
    }()

    @Test func `sends a large answer as the client reads, and later ones behind it`() throws {
        let client = try connect()
        client.send([1])
        try turn()
        let session = try #require(session)
        let (large, bytes) = Self.large
        port.reply([1, 1], to: session)
        port.reply(large, to: session)
        port.reply([1, 2], to: session)
        port.reply(large, to: session)
        port.reply([1, 3], to: session)
        try turn(20)
        #expect(port.waitingBytes < 1 << 20, "the client reads nothing")
        var received: [[UInt8]] = []
        for _ in 0..<3_000 where received.count < 5 {
            _ = client.receive { received.append($0) }
            try turn(1)
        }
        #expect(received == [[1, 1], bytes, [1, 2], bytes, [1, 3]])
        #expect(port.waitingBytes == 0)
        port.reply([1, 4], to: session)
        try turn()
        _ = client.receive { received.append($0) }
        #expect(received.last == [1, 4])
    }

    @Test func `listens pause while much waits behind a large answer`() throws {
        let client = try connect()
        client.send([1])
        try turn()
        let session = try #require(session)
        port.reply(Self.large.frame, to: session)
        try turn(5)
        inputs = []
        for _ in 0..<40 { port.reply([UInt8](repeating: 7, count: 64 << 10), to: session) }
        try turn()
        guard case .backpressured(session)? = inputs.first else {
            Issue.record("\(inputs)")
            return
        }
        var count = 0
        for _ in 0..<3_000 where count < 41 {
            _ = client.receive { _ in count += 1 }
            try turn(1)
        }
        #expect(count == 41)
        guard case .writable(session)? = inputs.last else {
            Issue.record("\(inputs)")
            return
        }
    }

    @Test func `a client that leaves a large answer unread is forgotten with it`() throws {
        var client: NodeSocket? = try connect()
        client?.send([1])
        try turn()
        let session = try #require(session)
        port.reply(Self.large.frame, to: session)
        try turn(5)
        client = nil
        try turn(10)
        #expect(port.count == 0)
        #expect(port.waitingBytes == 0)
    }
}
