import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Rules and answers that cost much delay only the session that asks for them.
@Suite struct CostlyRequestsTests {
    /// Costs a text of `a` and an `x` behind them some thousand units for each letter.
    private static let rules = """
        {"slow": {"$key": {".read": true, ".write": true, ".validate": "newData.val().matches(/(a?){900}x/)"}},
         "fast": {".read": true, ".write": true}}
        """
    private static let text = Value.string(String(repeating: "a", count: 150) + "x")
    private static let count: UInt64 = 20

    private static func put(_ id: UInt64, _ value: Value = text) -> ClientMessage {
        let path = Path([Key(unchecked: "slow"), Key(unchecked: "k\(id)")])
        return .put(id: id, path: path, value: value)
    }

    private static func frame(_ messages: [ClientMessage]) -> [UInt8] {
        var frame = FrameWriter()
        for message in messages { frame.append(message) }
        return frame.bytes
    }

    private static let puts = Input.requested(
        frame((1...count).map { put($0) }), by: RuledReplica.user)

    /// The messages to the user in the next turns.
    private func told(_ replica: inout RuledReplica, turns: Int) -> [[NodeMessage]] {
        (0..<turns).map { _ in replica.told([])[RuledReplica.user] ?? [] }
    }

    @Test func `a session whose rules cost much waits, and its requests keep their order`() {
        var replica = RuledReplica(Self.rules)
        let first = replica.told([Self.puts])[RuledReplica.user] ?? []
        #expect((2..<10).contains(first.count))
        let turns = told(&replica, turns: 30)
        for turn in turns { #expect(turn.count < 10) }
        #expect(first + turns.flatMap(\.self) == (1...Self.count).map { .ok(id: $0) })
    }

    @Test func `the requests of other sessions do not wait`() {
        var replica = RuledReplica(Self.rules)
        let put = ClientMessage.put(id: 1, path: "fast", value: 1)
        let told = replica.told([Self.puts, .requested(put.frame, by: RuledReplica.guest)])
        #expect(told[RuledReplica.guest] == [.ok(id: 1)])
    }

    @Test func `its later requests wait behind its earlier ones`() {
        var replica = RuledReplica(Self.rules)
        let get = ClientMessage.get(id: 99, path: "slow/k20")
        _ = replica.told([Self.puts])
        _ = replica.told([.requested(get.frame, by: RuledReplica.user)])
        let answers = told(&replica, turns: 30).flatMap(\.self)
        #expect(answers.last == .value(id: 99, value: Self.text))
    }

    @Test func `two sessions continue in turns`() {
        var replica = RuledReplica(Self.rules)
        let puts = Self.frame((1...Self.count).map { Self.put($0) })
        _ = replica.told([
            .requested(puts, by: RuledReplica.user), .requested(puts, by: RuledReplica.guest),
        ])
        var counts: [SessionID: Int] = [:]
        for _ in 0..<4 {
            for (session, messages) in replica.told([]) {
                counts[session, default: 0] += messages.count
            }
        }
        let (user, guest) = (counts[RuledReplica.user] ?? 0, counts[RuledReplica.guest] ?? 0)
        #expect(user > 0 && guest > 0 && abs(user - guest) < 10, "\(counts)")
    }

    @Test func `too many waiting requests are refused by the name of the limit`() throws {
        var limits = ReplicaLimits()
        limits.dueBytes = 1_000
        var replica = RuledReplica(Self.rules, within: limits)
        let told = replica.told([Self.puts, Self.puts])[RuledReplica.user] ?? []
        let refusals = told.filter { $0.code == .tooBig }
        #expect(refusals.count == Int(Self.count))
        guard case .error(_, _, let problem, _)? = refusals.first else { return }
        #expect(problem.contains("already wait for their turn"))
        let limited = replica.status().clients.limited
        #expect(limited == ["waiting_requests": refusals.count, "session_work": 1])
    }

    @Test func `an evaluation that takes too much work is refused by the name of the limit`() throws
    {
        var replica = RuledReplica(Self.rules)
        let long = Value.string(String(repeating: "a", count: 15_000))
        let told = replica.ask(Self.put(1, long), by: RuledReplica.user)
        guard case .error(1, .permissionDenied, let problem, _)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(problem.contains("600000 units for one rule"))
        #expect(replica.status().clients.limited == ["rule_work": 1])
    }

    @Test func `large answers are spread over turns, and small ones do not wait`() {
        var replica = TestReplica()
        let text = Value.string(String(repeating: "a", count: 10 << 20))
        _ = replica.ask(.put(id: 1, path: "large/text", value: text))
        _ = replica.ask(.put(id: 1, path: "small", value: 1))
        let large = ClientMessage.get(id: 7, path: "large")
        let sessions = (1...8).map { SessionID(number: $0) }
        let reads = sessions.map { Input.requested(large.frame, by: $0) }
        let small = ClientMessage.get(id: 8, path: "small")
        let other = SessionID(number: 50)
        let first = replica.turn(reads + [.requested(small.frame, by: other)])
        #expect(first[other] == [.value(id: 8, value: 1)])
        var answered = first.count - 1
        #expect(answered == 2, "one as it arrives, and one of those that wait")
        while replica.hasDueWork {
            let count = replica.turn([]).count
            #expect(count == 1)
            answered += count
        }
        #expect(answered == sessions.count)
        #expect(replica.status().clients.limited == ["session_work": 7])
    }

    @Test func `the writes of a client that leaves are done, then those for its end`() {
        var replica = RuledReplica(Self.rules)
        let gone = ClientMessage.onDisconnect(id: 50, path: "slow/k20", value: .null)
        _ = replica.told([
            .requested(gone.frame, by: RuledReplica.user), Self.puts, .closed(RuledReplica.user),
        ])
        #expect(replica.value["slow"].children.count < 10)
        _ = told(&replica, turns: 30)
        #expect(replica.value["slow"].children.count == 19)
        #expect(replica.value["slow/k20"].isNull)
    }
}
