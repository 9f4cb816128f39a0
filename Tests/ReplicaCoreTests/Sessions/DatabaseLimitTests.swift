import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Refusals by the limits of a database.
@Suite struct DatabaseLimitTests {
    private static let path: Path = "a"
    private static let text = Value.string(String(repeating: "a", count: 100))

    private func replica(_ limits: [DatabaseLimits.Kind: Int]) -> TestReplica {
        var replica = TestReplica()
        _ = replica.turn([])
        for (kind, number) in limits { replica.databaseLimits[kind] = number }
        return replica
    }

    private func put(_ id: UInt64, _ value: Value = 1, at path: Path = path) -> ClientMessage {
        .put(id: id, path: path, value: value)
    }

    private func codes(_ messages: [NodeMessage]) -> [ErrorCode?] { messages.map(\.code) }

    private static let values = SessionID(number: 7)

    private func open(_ replica: inout TestReplica) {
        _ = replica.turn([.opened(Self.values)])
    }

    // MARK: Rates

    @Test func `writes above the rate are refused, and not done`() {
        var replica = replica([.writesPerSecond: 3])
        let answers = (1...5).flatMap { replica.ask(put($0, .integer(Int64($0)))) }
        #expect(codes(answers) == [nil, nil, nil, .tooBig, .tooBig])
        #expect(replica.value[Self.path] == 3)
        #expect(replica.use().operations == 3)
        #expect(replica.use().refusals == [.writesPerSecond: 2])
        #expect(replica.status().clients.limited == ["writes_per_second": 2])
    }

    @Test func `the rate permits as much again a second later`() {
        var replica = replica([.writesPerSecond: 3])
        for id in 1...4 as ClosedRange<UInt64> { _ = replica.ask(put(id)) }
        _ = replica.turn([], after: 1_000)
        let answers = (5...8).flatMap { replica.ask(put($0)) }
        #expect(codes(answers) == [nil, nil, nil, .tooBig])
    }

    @Test func `all kinds of writes and all sessions share the rate`() {
        var replica = replica([.writesPerSecond: 4])
        open(&replica)
        let condition = Condition(DataHash(of: .null), isLocal: true)
        let messages: [ClientMessage] = [
            put(1), .merge(id: 2, path: "m", writes: [Write(path: "x", value: 1)]),
            .push(id: 3, path: "list", value: 1),
            .put(id: 4, path: "t", value: 1, condition: condition),
            .put(id: 5, path: "u", value: 1, condition: condition),
            .push(id: 6, path: "list", value: 1),
        ]
        let answers = replica.ask(messages, ofValues: Self.values)
        #expect(codes(answers) == [nil, nil, nil, nil, .tooMany, .tooMany])
        #expect(codes(replica.ask(put(1))) == [.tooBig])
        #expect(replica.value["u"].isNull)
    }

    @Test func `a refusal names the limit and the time`() throws {
        var replica = replica([.bytesPerSecond: 50])
        open(&replica)
        _ = replica.ask([put(1, Self.text)], ofValues: Self.values)
        let answer = try #require(replica.ask([put(2)], ofValues: Self.values).first)
        #expect(
            answer
                == .error(
                    id: 2, code: .tooMany,
                    problem: "Too many bytes of writes: the database permits 50 in a second.",
                    fix: "try again in 2 seconds"))
    }

    @Test func `a write above the rate of bytes is done, and those behind it pay for it`() {
        var replica = replica([.bytesPerSecond: 25])
        // 100 bytes of 25 in a second: the next byte is permitted 3.04 seconds later.
        #expect(codes(replica.ask(put(1, Self.text))) == [nil])
        _ = replica.turn([], after: 2_900)
        #expect(codes(replica.ask(put(2))) == [.tooBig])
        _ = replica.turn([], after: 150)
        #expect(codes(replica.ask(put(3))) == [nil])
    }

    @Test func `a write that was done is acknowledged again above the rate`() {
        var replica = replica([.writesPerSecond: 1])
        let stamp = Stamp(
            time: HybridTime(milliseconds: replica.wallMilliseconds), writer: WriterID(77))
        let stamped = ClientMessage.put(id: 1, path: Self.path, value: 1, stamp: stamp)
        #expect(codes(replica.ask(stamped)) == [nil])
        #expect(codes(replica.ask(put(2))) == [.tooBig])
        #expect(codes(replica.ask(stamped)) == [nil])
    }

    @Test func `reads and on-disconnect writes are not limited by rates`() {
        var replica = replica([.writesPerSecond: 1, .bytesPerSecond: 1])
        let later = ClientMessage.onDisconnect(id: 2, path: "gone", value: Self.text)
        #expect(codes(replica.ask(put(1, Self.text))) == [nil])
        #expect(codes(replica.ask(later)) == [nil])
        #expect(codes(replica.ask(.get(id: 3, path: Self.path))) == [nil])
        _ = replica.turn([.closed(SessionID(number: 1))])
        #expect(replica.value["gone"] == Self.text)
    }

    @Test func `a limit that is set again keeps its use`() {
        var replica = replica([.writesPerSecond: 1])
        _ = replica.ask(put(1))
        replica.databaseLimits[.connections] = 5
        #expect(codes(replica.ask(put(2))) == [.tooBig])
        replica.databaseLimits[.writesPerSecond] = 0
        #expect(codes(replica.ask(put(3))) == [nil])
    }

    @Test func `a session with many refusals is not read for a moment`() {
        var replica = replica([.writesPerSecond: 1])
        let one = SessionID(number: 1)
        _ = replica.ask(put(1))
        for id in 2...8 as ClosedRange<UInt64> {
            _ = replica.ask(put(id))
            #expect(replica.reading.isEmpty)
        }
        _ = replica.ask(put(9))
        #expect(replica.reading == [.pauseReading(one)])
        _ = replica.turn([], after: 98)
        #expect(replica.reading.isEmpty)
        _ = replica.turn([], after: 2)
        #expect(replica.reading == [.resumeReading(one)])
        // Few refusals in the same time begin no pause.
        for id in 10...20 as ClosedRange<UInt64> {
            _ = replica.turn([], after: 20)
            _ = replica.ask(put(id))
            #expect(replica.reading.isEmpty)
        }
    }

    @Test func `a session that has ended does not go on`() {
        var replica = replica([.writesPerSecond: 1])
        for id in 1...9 as ClosedRange<UInt64> { _ = replica.ask(put(id)) }
        _ = replica.turn([.closed(SessionID(number: 1))])
        _ = replica.turn([], after: 200)
        #expect(replica.reading.isEmpty)
    }

    // MARK: Bytes of data

    @Test func `a full database refuses writes that make it larger`() {
        var replica = replica([.dataBytes: 250])
        open(&replica)
        // 101 bytes each.
        let answers = replica.ask(
            (1...3).map { put($0, Self.text, at: Path([Key(unchecked: "\($0)")])) },
            ofValues: Self.values)
        #expect(codes(answers) == [nil, nil, .full])
        #expect(replica.use().dataBytes == 202)
        let equal = Value.string(String(repeating: "b", count: 100))
        #expect(codes(replica.ask(put(4, equal, at: "1"))) == [nil])
        #expect(codes(replica.ask(put(4, .string("other"), at: "1"))) == [nil])
        #expect(codes(replica.ask(put(5, .null, at: "2"))) == [nil])
        #expect(replica.use().dataBytes == 6)
        #expect(codes(replica.ask(put(6, Self.text, at: "3"))) == [nil])
    }

    @Test func `large parts are counted over several turns`() {
        var replica = TestReplica()
        let list = Value.object(
            named: (0..<10_000).map { ("k\($0)", .object(named: [("n", .integer(1))])) })
        _ = replica.ask(put(1, list))
        #expect(!replica.use().isCounted)
        for _ in 0..<3 { _ = replica.turn([]) }
        #expect(replica.use().isCounted)
        #expect(replica.use().dataBytes == 1 + list.dataBytes)
        _ = replica.ask(put(2, 1, at: "b"))
        _ = replica.ask(put(3, .null))
        for _ in 0..<3 { _ = replica.turn([]) }
        #expect(replica.use().dataBytes == 9)
    }

    // MARK: Answers

    @Test func `answers above the limit are refused in Firebase's words`() throws {
        var replica = replica([.answerBytes: 150])
        for number in 1...2 {
            _ = replica.ask(
                put(1, Self.text, at: Path([Key(unchecked: "list"), Key(unchecked: "\(number)")])))
        }
        let get = ClientMessage.get(id: 1, path: "list")
        guard case .error(_, .tooBig, let problem, _)? = replica.ask(get).first else {
            Issue.record("the answer is sent")
            return
        }
        #expect(
            problem
                == "Data requested exceeds the maximum size that can be accessed with a single request."
        )
        #expect(codes(replica.ask(.get(id: 2, path: "list/1"))) == [nil])
        let first = try Query().orderedByKey().limited(toFirst: 1)
        #expect(codes(replica.ask(.get(id: 3, path: "list", query: first))) == [nil])
        let both = try Query().orderedByKey().limited(toFirst: 2)
        #expect(codes(replica.ask(.get(id: 4, path: "list", query: both))) == [.tooBig])
        #expect(codes(replica.ask(.listen(id: 5, path: "list"))) == [.tooBig])
        #expect(replica.status().clients.listens == 0)
        #expect(replica.use().refusals == [.answerBytes: 3])
    }
}
