import DataTree
import Sockets
import SyncProtocol
import Testing

@testable import ClusterAdministration

/// A real client that does not read, at a real node.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `A client that reads too slowly` {
    private let list = Path([Key(unchecked: "list")])
    private let text = String(repeating: "x", count: 10_000)

    @Test func `costs a node little, and ends with the present data`() throws {
        let file = ClusterFile(
            nodeCount: 1, basePort: try TestCluster.freePorts(), durability: "memory")
        let folder = try TemporaryFolder()
        let configuration = try folder.write(
            String(decoding: file.json, as: UTF8.self), to: "cluster.json")
        let node = try Program.hearth("node", "--config", configuration, "--id", "n1")
        try eventually("the node serves") { node.errors.contains("serving clients") }

        let address = try #require(HTTPAddress(file.nodes[0].client))
        let slow = try NodeSocket(to: address)
        slow.send(ClientMessage.listen(id: 1, path: list).frame)
        try #require(slow.frame(until: .now + .seconds(10)) != nil)
        let writer = try NodeSocket(to: address)
        var expected = Value.null
        // 30 MB of changes of a list of 1 MB: more than the system's buffers take.
        for number in 1...3_000 {
            let key = Key(unchecked: "k\(number % 100)")
            let value = Value([
                ("n", .integer(Int64(number))), ("text", .string(text + "\(number)")),
            ])
            expected.set(value, at: Path([key]))
            let put = ClientMessage.put(
                id: UInt64(number), path: list.appending(key), value: value)
            _ = try ask(put, over: writer)
        }
        let status = try NodeStatus(ask(.status(id: 9_000), over: writer))
        #expect(status.clients.clientsBehind == 1)
        #expect(status.clients.changesHeldBack > 100)
        #expect(try #require(status.process).waitingReplyBytes < 2 << 20)

        var copy = Value.null
        try eventually("the slow client has what is there") {
            while let frame = slow.frame(until: .now + .milliseconds(10)) {
                for case .message(.change(_, let writes)) in try FrameReader<NodeMessage>.messages(
                    in: frame)
                {
                    for write in writes { copy.set(write.value, at: write.path) }
                }
            }
            return copy == expected
        }
        try eventually("the node knows") {
            try NodeStatus(ask(.status(id: 9_001), over: writer)).clients.clientsBehind == 0
        }
        node.terminate()
        #expect(try node.end().status == 0)
    }

    /// The value of an answer; null if it has none.
    private func ask(_ message: ClientMessage, over socket: NodeSocket) throws -> Value {
        socket.send(message.frame)
        let frame = try #require(socket.frame(until: .now + .seconds(20)))
        guard
            case .message(.value(_, let value))? = try FrameReader<NodeMessage>.messages(in: frame)
                .first
        else { return .null }
        return value
    }
}

extension Value {
    fileprivate init(_ members: [(String, Value)]) {
        var children = Children()
        for (name, value) in members { children[DataTree.Key(unchecked: name)] = value }
        self.init(children)
    }
}
