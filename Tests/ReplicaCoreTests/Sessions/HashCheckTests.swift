import DataTree
import ReplicaCore
import SyncProtocol
import Testing

/// Comparisons by hashes of large values, which take several turns.
@Suite struct HashCheckTests {
    private let hostile = SessionID(number: 1)
    private let small = SessionID(number: 2)
    private let list: Path = "list"
    private let wrong = DataHash(text: String(repeating: "A", count: 27) + "=")

    /// A replica with a list of so many children, and small turns.
    private func replica(children count: Int = 5_000) -> TestReplica {
        var limits = ReplicaLimits()
        (limits.turnUnits, limits.firstUnits) = (400, 40)
        var replica = TestReplica(within: limits)
        var children = Children()
        for number in 0..<count {
            children[Key(unchecked: "k\(10_000 + number)")] = ["n": .integer(Int64(number))]
        }
        _ = replica.ask(.put(id: 1, path: list, value: Value(children)), by: 9)
        while replica.hasDueWork { _ = replica.turn([]) }
        return replica
    }

    /// The messages to a session until nothing is left to do, and the number of turns.
    private func rest(
        of session: SessionID, in replica: inout TestReplica
    ) -> (messages: [NodeMessage], turns: Int) {
        var (messages, turns): ([NodeMessage], Int) = ([], 0)
        while replica.hasDueWork, turns < 10_000 {
            messages += replica.turn([])[session] ?? []
            turns += 1
        }
        return (messages, turns)
    }

    @Test func `the comparison for a listen takes many turns, and others are answered in theirs`()
        throws
    {
        var replica = replica()
        let posts = (0..<2_500).map { Path([Key(unchecked: "k\(10_000 + 2 * $0)")]) }
        let ranges = try CompoundHash(
            posts: posts, hashes: Array(repeating: wrong.text, count: posts.count) + [""])
        let held = HeldData(hash: wrong, ranges: ranges)
        let listen = ClientMessage.listen(id: 1, path: list, held: held)
        #expect(replica.turn([.requested(listen.frame, by: hostile)])[hostile] == nil)
        let read = ClientMessage.get(id: 7, path: "list/k10001/n")
        for _ in 0..<5 {
            #expect(replica.hasDueWork)
            let told = replica.turn([.requested(read.frame, by: small)])
            #expect(told[small] == [.value(id: 7, value: 1)])
            #expect(told[hostile] == nil)
        }
        let (messages, turns) = rest(of: hostile, in: &replica)
        #expect(turns > 10 && turns < 200)
        #expect(messages.first == .ok(id: 1))
        #expect(messages.count == 2)
    }

    @Test func `a client that holds the list learns what has changed during the comparison`() {
        var replica = replica()
        let held = HeldData(hash: DataHash(of: replica.value[list]))
        let listen = ClientMessage.listen(id: 1, path: list, held: held)
        #expect(replica.turn([.requested(listen.frame, by: hostile)])[hostile] == nil)
        _ = replica.ask(.put(id: 1, path: "list/k10003/n", value: .string("new")), by: 2)
        let (messages, turns) = rest(of: hostile, in: &replica)
        #expect(turns > 5)
        #expect(
            messages == [
                .ok(id: 1), .change(listen: 1, writes: []),
                .change(listen: 1, writes: [Write(path: "k10003/n", value: .string("new"))]),
            ])
        _ = replica.turn([])
        let put = ClientMessage.put(id: 2, path: "list/k10004/n", value: .string("later"))
        let told = replica.turn([.requested(put.frame, by: small)])
        #expect(
            told[hostile] == [
                .change(listen: 1, writes: [Write(path: "k10004/n", value: .string("later"))])
            ])
    }

    @Test func `a conditional put of a large value is decided by the value of its time`() {
        for changes in [false, true] {
            var replica = replica()
            let condition = Condition(DataHash(of: replica.value[list]))
            let put = ClientMessage.put(id: 5, path: list, value: 1, condition: condition)
            #expect(replica.turn([.requested(put.frame, by: hostile)])[hostile] == nil)
            if changes { _ = replica.ask(.put(id: 1, path: "list/k10003/n", value: 9), by: 2) }
            let (messages, turns) = rest(of: hostile, in: &replica)
            #expect(turns > 5)
            #expect((replica.value[list] == 1) == !changes)
            #expect(messages.count == 1)
            #expect((messages.first == .ok(id: 5)) == !changes)
        }
    }

    @Test func `many comparisons of the same value cost one hash`() {
        var replica = replica()
        let puts = (1...50).map {
            ClientMessage.put(id: $0, path: list, value: 1, condition: Condition(wrong))
        }
        let sessions = (1...50).map { SessionID(number: $0) }
        var told = replica.turn(zip(puts, sessions).map { .requested($0.frame, by: $1) })
        var turns = 0
        while replica.hasDueWork, turns < 10_000 {
            for (session, messages) in replica.turn([]) { told[session, default: []] += messages }
            turns += 1
        }
        // Fifty of them would take thousands of turns.
        #expect(turns < 1_000)
        #expect(sessions.allSatisfy { told[$0]?.count == 1 })
        #expect(replica.value[list] != 1)
    }
}
