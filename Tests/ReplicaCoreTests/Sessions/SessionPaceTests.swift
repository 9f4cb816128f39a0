import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Rules and answers that cost much delay only the session that asks for them.
@Suite struct SessionPaceTests {
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

    /// What the user is told in the next turns.
    private func told(
        _ replica: inout RuledReplica, turns: Int, after milliseconds: UInt64 = 50
    ) -> [[NodeMessage]] {
        (0..<turns).map { _ in
            replica.told([], after: milliseconds)[RuledReplica.user] ?? []
        }
    }

    @Test func `a session whose rules cost much waits, and its requests keep their order`() {
        var replica = RuledReplica(Self.rules)
        let first = replica.told([Self.puts])[RuledReplica.user] ?? []
        #expect((2..<10).contains(first.count))
        let turns = told(&replica, turns: 30)
        for turn in turns { #expect(turn.count < 10) }
        #expect(first + turns.flatMap(\.self) == (1...Self.count).map { .ok(id: $0) })
    }

    @Test func `the requests of other sessions, and its pings, do not wait`() {
        var replica = RuledReplica(Self.rules)
        let put = ClientMessage.put(id: 1, path: "fast", value: 1)
        let told = replica.told([
            Self.puts, .requested(ClientMessage.ping(id: 98).frame, by: RuledReplica.user),
            .requested(put.frame, by: RuledReplica.guest),
        ])
        #expect(told[RuledReplica.guest] == [.ok(id: 1)])
        let pongs = told[RuledReplica.user]?.filter {
            if case .value(98, _) = $0 { true } else { false }
        }
        #expect(pongs?.count == 1)
    }

    @Test func `what it sends later waits behind what it has sent before`() {
        var replica = RuledReplica(Self.rules)
        let get = ClientMessage.get(id: 99, path: "slow/k20")
        _ = replica.told([Self.puts])
        _ = replica.told([.requested(get.frame, by: RuledReplica.user)])
        let answers = told(&replica, turns: 30).flatMap(\.self)
        #expect(answers.last == .value(id: 99, value: Self.text))
    }

    @Test func `two sessions go on in turns`() {
        var replica = RuledReplica(Self.rules)
        let puts = Self.frame((1...Self.count).map { Self.put($0) })
        _ = replica.told([
            .requested(puts, by: RuledReplica.user), .requested(puts, by: RuledReplica.guest),
        ])
        var counts: [SessionID: Int] = [:]
        for _ in 0..<12 {
            for (session, messages) in replica.told([], after: 50) {
                counts[session, default: 0] += messages.count
            }
        }
        let (user, guest) = (counts[RuledReplica.user] ?? 0, counts[RuledReplica.guest] ?? 0)
        #expect(user > 0 && guest > 0 && abs(user - guest) < 10, "\(counts)")
    }

    @Test func `too many waiting requests are refused by the name of the limit`() throws {
        var limits = ReplicaLimits()
        limits.waitingRequests = 16
        var replica = RuledReplica(Self.rules, within: limits)
        let first = replica.told([Self.puts])[RuledReplica.user] ?? []
        let refusals = first.filter { $0.code == .tooBig }
        try #require(!refusals.isEmpty)
        guard case .error(_, _, let problem, _) = refusals[0] else { return }
        #expect(problem.contains("take more than 8000000 units of work a second"))
        let status = replica.status()
        #expect(status.clients.limited["waiting_requests"] == refusals.count)
        #expect(status.clients.limited["session_work"] == 4)
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
        #expect(first.count == 5, "\(first.keys.sorted())")
        var answered = first.count - 1
        for _ in 0..<4 { answered += replica.turn([]).count }
        #expect(answered == sessions.count)
        #expect(replica.status().clients.limited == ["session_work": 4])
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

    @Test func `the requests of a client that leaves do not wait for ever`() {
        var replica = RuledReplica(Self.rules)
        _ = replica.told([Self.puts, .closed(RuledReplica.user)])
        let count = replica.value["slow"].children.count
        _ = told(&replica, turns: 3, after: 6_000)
        #expect(replica.value["slow"].children.count == count)
    }
}

/// The account of each session.
@Suite struct `A pace of rules` {
    private let one = SessionID(number: 1)
    private let two = SessionID(number: 2)

    @Test func `does not count cheap requests`() {
        var pace = SessionPace()
        for _ in 0..<10_000 { pace.spend(SessionPace.countedUnits - 1, of: one, at: 0) }
        #expect(!pace.delays(one, at: 0) && !pace.isTurnSpent)
    }

    @Test func `lets a session go on once it has waited for what it has spent`() {
        var pace = SessionPace()
        pace.spend(SessionPace.sessionUnits + 80_000, of: one, at: 100)
        pace.beginTurn(at: 109)
        #expect(pace.delays(one, at: 109) && !pace.delays(two, at: 109))
        #expect(!pace.delays(one, at: 110))
    }

    @Test func `lets those go on first that have spent least`() {
        var pace = SessionPace()
        pace.spend(900_000, of: one, at: 0)
        pace.spend(800_000, of: two, at: 0)
        pace.wait(one)
        pace.wait(two)
        #expect(pace.due(at: 1) == [two, one])
        let isDropped = pace.release(two, at: 1)
        #expect(!isDropped)
        #expect(pace.due(at: 1) == [one])
        pace.limit(one, until: 7)
        let isTooLate = pace.release(one, at: 7)
        #expect(isTooLate)
        #expect(pace.due(at: 7) == [])
    }
}
