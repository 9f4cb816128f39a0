import DataTree
import QueryEngine
import Randomness
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct SlowClientTests {
    private let slow = SessionID(number: 5)

    @Test func `a slow client gets its answers, and in the end all that its listens show`() throws {
        var replica = TestReplica()
        let last = try Query().orderedByKey().limited(toLast: 1)
        _ = replica.ask(.listen(id: 1, path: "a"), by: 5)
        _ = replica.ask(.listen(id: 2, path: "b"), by: 5)
        _ = replica.ask(.listen(id: 3, path: "a", query: last), by: 5)
        _ = replica.turn([.backpressured(slow)])
        for number in 0..<100 {
            let put = ClientMessage.put(
                id: 9, path: Path([Key(unchecked: "a"), Key(unchecked: "k\(number)")]), value: 1)
            #expect(replica.ask(put, by: 5) == [.ok(id: 9)])
        }
        var told = replica.turn([.writable(slow)])[slow] ?? []
        let list = replica.value["a"]
        #expect(
            told == [
                .change(listen: 1, writes: [Write(path: .root, value: list)]),
                .change(listen: 3, writes: [Write(path: .root, value: ["k99": 1])]),
            ])
        told = replica.ask(.put(id: 9, path: "b", value: 2), by: 5)
        #expect(told == [.change(listen: 2, writes: [Write(path: .root, value: 2)]), .ok(id: 9)])
    }

    @Test(arguments: [UInt64(100), 5_000])
    func `it receives the differences of a list, and the whole list after a long time`(
        milliseconds: UInt64
    ) {
        var replica = TestReplica()
        for number in 0..<10 {
            let path = Path([Key(unchecked: "a"), Key(unchecked: "k\(number)")])
            _ = replica.ask(.put(id: 1, path: path, value: ["n": 1, "m": 1]))
        }
        _ = replica.ask(.put(id: 1, path: "a/c", value: 1))
        _ = replica.ask(.listen(id: 1, path: "a"), by: 5)
        _ = replica.turn([.backpressured(slow)])
        for (path, value) in [("a/k7/n", 2), ("a/k8/n", 2), ("a/k8/n", 1), ("a/z", 3)] {
            let path = Path(path.split(separator: "/").map { Key(unchecked: String($0)) })
            _ = replica.ask(.put(id: 1, path: path, value: .integer(Int64(value))))
        }
        _ = replica.ask(.put(id: 1, path: "a/c", value: .null))
        let told = replica.turn([.writable(slow)], after: milliseconds)[slow]
        let differences = [
            Write(path: "c", value: .null), Write(path: "k7/n", value: 2),
            Write(path: "z", value: 3),
        ]
        let all = [Write(path: .root, value: replica.value["a"])]
        #expect(told == [.change(listen: 1, writes: milliseconds == 100 ? differences : all)])
    }

    @Test func `a listen that begins while its client is slow is answered later`() {
        var replica = TestReplica()
        _ = replica.turn([.backpressured(slow)])
        #expect(replica.ask(.listen(id: 1, path: "a"), by: 5) == [.ok(id: 1)])
        let told = replica.turn([.writable(slow)])
        #expect(told[slow] == [.change(listen: 1, writes: [Write(path: .root, value: .null)])])
    }

    @Test func `much that was missed comes a little in a turn`() {
        var replica = TestReplica()
        let text = Value.string(String(repeating: "x", count: 100_000))
        for id in UInt64(1)...20 {
            let path = Path([Key(unchecked: "p\(id)")])
            _ = replica.ask(.listen(id: id, path: path), by: 5)
        }
        _ = replica.turn([.backpressured(slow)])
        for id in UInt64(1)...20 {
            _ = replica.ask(.put(id: id, path: Path([Key(unchecked: "p\(id)")]), value: text))
        }
        let first = replica.turn([.writable(slow)])[slow] ?? []
        #expect(first.count == 3)
        _ = replica.turn([.backpressured(slow)])
        #expect(replica.turn([])[slow] == nil)
        var count = first.count
        _ = replica.turn([.writable(slow)]).values.map { count += $0.count }
        for _ in 0..<10 { count += replica.turn([])[slow]?.count ?? 0 }
        #expect(count == 20)
    }

    @Test func `listeners end with the present data, whatever was held back`() throws {
        let queries = [
            Query(), try Query().orderedByKey().limited(toLast: 3),
            try Query().ordered(byChild: "n").starting(at: .integer(4)),
        ]
        for seed in UInt64(0)..<200 {
            var random = SplitMix64(seed: seed)
            var replica = TestReplica()
            var copies = [Value](repeating: .null, count: queries.count)
            func take(_ told: [SessionID: [NodeMessage]]) {
                for case .change(let listen, let writes) in told[slow] ?? [] {
                    for write in writes { copies[Int(listen) - 1].set(write.value, at: write.path) }
                }
            }
            for (id, query) in queries.enumerated() {
                let listen = ClientMessage.listen(id: UInt64(id + 1), path: "list", query: query)
                take(replica.turn([.requested(listen.frame, by: slow)]))
            }
            for _ in 0..<60 {
                var inputs: [Input] = []
                switch random.next() % 8 {
                case 0: inputs.append(.backpressured(slow))
                case 1, 2: inputs.append(.writable(slow))
                default: inputs.append(.requested(write(&random).frame, by: SessionID(number: 1)))
                }
                take(replica.turn(inputs, after: random.next() % 9 == 0 ? 3_000 : 1))
            }
            take(replica.turn([.writable(slow)]))
            for (id, query) in queries.enumerated() {
                let shown = replica.ask(.get(id: 1, path: "list", query: query))
                #expect(shown == [.value(id: 1, value: copies[id])], "seed \(seed), \(query)")
            }
        }
    }

    private func write(_ random: inout SplitMix64) -> ClientMessage {
        let path = Path([Key(unchecked: "list"), Key(unchecked: "k\(random.next() % 8)")])
        let number = Value.integer(Int64(random.next() % 8))
        switch random.next() % 4 {
        case 0: return .put(id: 1, path: path, value: .null)
        case 1: return .put(id: 1, path: path.appending(Key(unchecked: "n")), value: number)
        default: return .put(id: 1, path: path, value: ["n": number])
        }
    }
}
