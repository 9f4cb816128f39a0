import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ReplicaCore

/// A large answer to a native client leaves the replica as a value, which the driver encodes as the client reads.
@Suite struct LargeAnswerTests {
    private static let list: Value = {
        var children = Children()
        for number in 0..<5_000 { children[Key(unchecked: "k\(number)")] = .integer(Int64(number)) }
        return Value(children)
    }()

    private func replica() -> TestReplica {
        var replica = TestReplica()
        #expect(replica.ask(.put(id: 1, path: "list", value: Self.list)) == [.ok(id: 1)])
        #expect(replica.largeReplies == 0)
        return replica
    }

    @Test func `a large read is answered by a large frame, a small one is not`() {
        var replica = replica()
        #expect(replica.ask(.get(id: 2, path: "list")) == [.value(id: 2, value: Self.list)])
        #expect(replica.largeReplies == 1)
        #expect(replica.ask(.get(id: 3, path: "list/k7")) == [.value(id: 3, value: 7)])
        #expect(replica.largeReplies == 1)
    }

    @Test func `the first answer of a listen and a large change are large frames`() {
        var replica = replica()
        let first = Write(path: .root, value: Self.list)
        #expect(
            replica.ask(.listen(id: 2, path: "list", query: Query(), held: nil))
                == [.ok(id: 2), .change(listen: 2, writes: [first])])
        #expect(replica.largeReplies == 1)
        let told = replica.turn([
            .requested(
                ClientMessage.put(id: 9, path: "list", value: .null).frame, by: 3)
        ])
        #expect(told[1] == [.change(listen: 2, writes: [Write(path: .root, value: .null)])])
        let changed = replica.turn([
            .requested(
                ClientMessage.put(id: 10, path: "list", value: Self.list).frame, by: 3)
        ])
        #expect(changed[1] == [.change(listen: 2, writes: [first])])
        #expect(replica.largeReplies == 2)
    }

    @Test func `many large reads of one client are answered over several turns`() {
        var replica = replica()
        var frame = FrameWriter()
        for id in 1...40 { frame.append(ClientMessage.get(id: UInt64(id), path: "list")) }
        var told = [replica.turn([.requested(frame.bytes, by: 1)])[1] ?? []]
        while replica.hasDueWork, told.count < 40 { told.append(replica.turn([])[1] ?? []) }
        #expect(told.flatMap(\.self) == (1...40).map { .value(id: $0, value: Self.list) })
        #expect(told.allSatisfy { (1...16).contains($0.count) })
    }
}
