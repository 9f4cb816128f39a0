import DataTree
import QueryEngine
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// Requests of one client, and the number of turns for which others wait for their answers.
@Suite struct FairTurnsTests {
    private let hostile = SessionID(number: 1)
    private let small = SessionID(number: 2)

    /// A replica with a list of so many children, and small turns.
    private func replica(children count: Int, indexByteLimit: Int = 1 << 20) -> TestReplica {
        var limits = ReplicaLimits()
        (limits.turnUnits, limits.firstUnits) = (400, 40)
        var replica = TestReplica(indexByteLimit: indexByteLimit, within: limits)
        var children = Children()
        for number in 0..<count {
            children[Key(unchecked: "k\(number)")] = ["n": .integer(Int64(number * 7 % count))]
        }
        _ = replica.ask(.put(id: 1, path: "list", value: Value(children)), by: 9)
        return replica
    }

    private func frame(_ messages: [ClientMessage]) -> [UInt8] {
        var frame = FrameWriter()
        for message in messages { frame.append(message) }
        return frame.bytes
    }

    /// A listen by an order that no child has a value for.
    private func invented(_ id: UInt64) throws -> ClientMessage {
        let query = try Query().ordered(byChild: "invented\(id)").limited(toLast: 1)
        return .listen(id: id, path: "list", query: query)
    }

    private let numberedWrites = (1...1_000).map {
        ClientMessage.put(id: $0, path: "a", value: .integer(Int64($0)))
    }

    private func ids(_ told: [NodeMessage]?) -> [UInt64] {
        (told ?? []).compactMap { if case .ok(let id) = $0 { id } else { nil } }
    }

    @Test func `a session's requests beyond its share wait, and are done in their order`() {
        var replica = replica(children: 1)
        let writes = numberedWrites
        var done = ids(replica.turn([.requested(frame(writes), by: hostile)])[hostile])
        #expect(!done.isEmpty && done.count < 300)
        #expect(replica.hasDueWork)
        let last = ClientMessage.put(id: 1_001, path: "a", value: .string("end"))
        done += ids(replica.turn([.requested(last.frame, by: hostile)])[hostile])
        var turns = 0
        while replica.hasDueWork {
            done += ids(replica.turn([])[hostile])
            turns += 1
        }
        #expect(done == Array(1...1_001))
        #expect(replica.value["a"] == .string("end"))
        #expect(turns > 3 && turns < 40)
    }

    @Test func `a small request is answered in its turn, whatever another session has sent`() throws
    {
        var replica = replica(children: 5_000)
        let listens = try (1...600).map { try invented($0) }
        _ = replica.turn([.requested(frame(listens), by: hostile)])
        for turn in 0..<50 {
            #expect(replica.hasDueWork)
            let get = ClientMessage.get(id: 7, path: "list/k1")
            let told = replica.turn([.requested(get.frame, by: small)])
            #expect(told[small] == [.value(id: 7, value: ["n": 7])], "turn \(turn)")
        }
    }

    @Test func `a turn serves one large update as it arrives, and one that waits`() {
        var replica = replica(children: 1)
        let clients = (1...3).map { SessionID(number: $0) }
        let updates = clients.map { client in
            let writes = (0..<1_900).map { number in
                Write(path: Path([Key(unchecked: "a \(client.number) \(number)")]), value: 1)
            }
            return frame([.merge(id: 1, path: "updates", writes: writes)])
        }
        let told = replica.turn(zip(updates, clients).map { .requested($0, by: $1) })
        #expect(told == [clients[0]: [.ok(id: 1)], clients[1]: [.ok(id: 1)]])
        #expect(replica.turn([]) == [clients[2]: [.ok(id: 1)]])
    }

    @Test func `sessions whose requests wait are served in turn`() {
        var replica = replica(children: 1)
        // More than one turn has shares for.
        let clients = (1...30).map { SessionID(number: $0) }
        for client in clients {
            let writes = (1...400).map { ClientMessage.put(id: $0, path: "a", value: 1) }
            _ = replica.turn([.requested(frame(writes), by: client)])
        }
        var counts: [SessionID: Int] = [:]
        for _ in 0..<6 {
            for (client, told) in replica.turn([]) { counts[client, default: 0] += told.count }
        }
        #expect(counts.count == 30)
        let (least, most) = (counts.values.min() ?? 0, counts.values.max() ?? 0)
        #expect(most - least < 200, "\(counts)")
    }

    @Test func `reads of a client that has left are dropped, and its writes are executed`() throws {
        var replica = replica(children: 5_000)
        var messages = try (1...200).map { try invented($0) }
        messages.append(.put(id: 300, path: "a", value: 1))
        let left = ClientMessage.onDisconnect(id: 400, path: "a", value: 2)
        _ = replica.turn([
            .requested(left.frame, by: hostile), .requested(frame(messages), by: hostile),
        ])
        #expect(replica.value["a"].isNull)
        _ = replica.turn([.closed(hostile)])
        for _ in 0..<4 { _ = replica.turn([]) }
        #expect(!replica.hasDueWork)
        // The on-disconnect write comes last.
        #expect(replica.value["a"] == 2)
        #expect(replica.queryStatus().lists == 0)
        #expect(replica.queryStatus().builds == 0)
    }

    @Test func `several sessions share the build of an index`() throws {
        var replica = replica(children: 3_000)
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        let last: Value = ["k857": ["n": 2_999]]
        let sessions = (1...4).map { SessionID(number: $0) }
        var answers: [SessionID: [NodeMessage]] = [:]
        var turns = 0
        let get = ClientMessage.get(id: 5, path: "list", query: query)
        answers.merge(replica.turn(sessions.map { .requested(get.frame, by: $0) })) { $0 + $1 }
        #expect(answers.isEmpty)
        #expect(replica.queryStatus().builds == 1)
        while replica.hasDueWork {
            answers.merge(replica.turn([])) { $0 + $1 }
            turns += 1
        }
        #expect(turns < 20)
        #expect(answers.count == 4)
        #expect(answers.values.allSatisfy { $0 == [.value(id: 5, value: last)] })
        #expect(replica.queryStatus().indexBytes == 3_000 * 77)
    }

    @Test func `a request behind one that waits for an index waits too`() throws {
        var replica = replica(children: 3_000)
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        let messages: [ClientMessage] = [
            .get(id: 1, path: "list", query: query),
            .put(id: 2, path: "list/new", value: ["n": 9_000]),
            .get(id: 3, path: "list", query: query),
        ]
        var told = replica.turn([.requested(frame(messages), by: hostile)])[hostile] ?? []
        while replica.hasDueWork { told += replica.turn([])[hostile] ?? [] }
        #expect(
            told == [
                .value(id: 1, value: ["k857": ["n": 2_999]]), .ok(id: 2),
                .value(id: 3, value: ["new": ["n": 9_000]]),
            ])
    }

    @Test func `without room a query is answered nevertheless, and its index is dropped`() throws {
        var replica = replica(children: 3_000, indexByteLimit: 1_000)
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        let get = ClientMessage.get(id: 1, path: "list", query: query)
        var told = replica.turn([.requested(get.frame, by: small)])[small] ?? []
        while replica.hasDueWork { told += replica.turn([])[small] ?? [] }
        #expect(told == [.value(id: 1, value: ["k857": ["n": 2_999]])])
        let status = replica.queryStatus()
        #expect(status.indexBytes == 0)
        #expect(status.unindexedQueries == 1)
    }

    @Test func `without room a listen is sent all of its window after each change`() throws {
        var replica = replica(children: 3_000, indexByteLimit: 1_000)
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        let listen = ClientMessage.listen(id: 1, path: "list", query: query)
        var told = replica.turn([.requested(listen.frame, by: small)])[small] ?? []
        while replica.hasDueWork { told += replica.turn([])[small] ?? [] }
        func change(_ window: Value) -> NodeMessage {
            .change(listen: 1, writes: [Write(path: .root, value: window)])
        }
        #expect(told == [.ok(id: 1), change(["k857": ["n": 2_999]])])
        #expect(replica.queryStatus().unindexedListens == 1)
        _ = replica.ask(.put(id: 1, path: "list/new", value: ["n": 9_000]), by: 9)
        told = []
        while replica.hasDueWork { told += replica.turn([])[small] ?? [] }
        #expect(told == [change(["new": ["n": 9_000]])])
        // Room makes it an ordinary listen again.
        let short = ClientMessage.put(id: 1, path: "list", value: ["x": ["n": 1]])
        told = replica.turn([.requested(short.frame, by: hostile)])[small] ?? []
        while replica.hasDueWork { told += replica.turn([])[small] ?? [] }
        #expect(told == [change(["x": ["n": 1]])])
        #expect(replica.queryStatus().unindexedListens == 0)
        let ordinary = replica.turn([
            .requested(ClientMessage.put(id: 2, path: "list/y", value: ["n": 2]).frame, by: hostile)
        ])
        let writes = [Write(path: "x", value: .null), Write(path: "y", value: ["n": 2])]
        #expect(ordinary[small] == [.change(listen: 1, writes: writes)])
        _ = replica.turn([.closed(small)])
        #expect(replica.queryStatus().unindexedListens == 0)
    }

    @Test func `a client that sends too much is not read until its requests are served`() {
        var limits = ReplicaLimits()
        (limits.turnUnits, limits.firstUnits, limits.dueBytesOfSession) = (400, 40, 5_000)
        var replica = TestReplica(within: limits)
        let writes = numberedWrites
        let input = Input.requested(frame(writes), by: hostile)
        _ = replica.turn([input, input])
        #expect(replica.reading == [.pauseReading(hostile)])
        var reading: [Output] = []
        while replica.hasDueWork {
            _ = replica.turn([])
            reading += replica.reading
        }
        #expect(reading == [.resumeReading(hostile)])
    }

    @Test func `requests wait under the user who sent them`() throws {
        var replica = replica(children: 1)
        let writes = (1...200).map { ClientMessage.put(id: $0, path: "a", value: 1) }
        let user = Principal.user(.null)
        var told =
            replica.turn([
                .requested(frame(writes), by: hostile), .identified(hostile, user),
                .requested(ClientMessage.put(id: 201, path: "a", value: 2).frame, by: hostile),
            ])[hostile] ?? []
        while replica.hasDueWork { told += replica.turn([])[hostile] ?? [] }
        #expect(ids(told) == Array(1...200))
        guard case .error(id: 201, code: .permissionDenied, _, _)? = told.last else {
            Issue.record("\(told.suffix(1))")
            return
        }
    }

    @Test func `a native client whose request waits for an index is sent signs of life`() throws {
        var replica = replica(children: 20_000)
        _ = replica.ask(.hello(id: 1, seen: VersionVector()), by: small.number)
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        let get = ClientMessage.get(id: 5, path: "list", query: query)
        let begun = replica.turn([.requested(get.frame, by: small)], after: 60_000)
        #expect(begun[small] == nil, "no sign of life before a second has passed")
        var signs = 0
        for _ in 0..<5 {
            let told = replica.turn([], after: 1_000)[small] ?? []
            signs += told.count { $0 == .ok(id: 0) }
        }
        #expect(signs == 5)
    }

    @Test func `requests that wait for their share are sent no sign of life before a second`() {
        var replica = replica(children: 1)
        _ = replica.ask(.hello(id: 1_001, seen: VersionVector()), by: hostile.number)
        let inputs = numberedWrites.prefix(300).map { Input.requested($0.frame, by: hostile) }
        let told = replica.turn(inputs, after: 60_000)[hostile] ?? []
        #expect(replica.hasDueWork && !told.isEmpty && !told.contains(.ok(id: 0)))
    }

    @Test func `a request cannot have the ID of the sign of life`() {
        var replica = TestReplica()
        let frame =
            ClientMessage.put(id: 0, path: "a", value: 1).frame
            + ClientMessage.put(id: 1, path: "b", value: 2).frame.dropFirst()
        let told = replica.turn([.requested(frame, by: small)])[small] ?? []
        guard case .error(id: 0, code: .invalid, _, _)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(told.dropFirst() == [.ok(id: 1)])
        #expect(replica.value == Universe.object(["b": 2]))
    }

    @Test func `further requests that wait do not delay the next sign of life`() throws {
        var replica = replica(children: 20_000)
        _ = replica.ask(.hello(id: 1, seen: VersionVector()), by: small.number)
        let query = try Query().ordered(byChild: "n").limited(toLast: 1)
        let get = ClientMessage.get(id: 5, path: "list", query: query)
        _ = replica.turn([.requested(get.frame, by: small)])
        var signs = 0
        for _ in 0..<5 {
            let told = replica.turn([.requested(frame(numberedWrites), by: hostile)], after: 400)
            signs += told[small]?.count { $0 == .ok(id: 0) } ?? 0
        }
        #expect(signs > 0)
    }

    @Test func `the last turn does the writes that wait`() {
        var replica = replica(children: 1)
        let writes = numberedWrites
        _ = replica.turn([.requested(frame(writes), by: hostile)])
        replica.stop()
        #expect(replica.value["a"] == 1_000)
    }

    /// A replica with small turns, after a session has spent the units of the open one.
    private func spentTurn(then inputs: [Input]) -> (TestReplica, [SessionID: [NodeMessage]]) {
        var limits = ReplicaLimits()
        (limits.turnUnits, limits.firstUnits, limits.smallestUnits) = (400, 40, 8)
        var replica = TestReplica(within: limits)
        let busy = (11...14).map {
            Input.requested(frame(numberedWrites), by: SessionID(number: $0))
        }
        let told = replica.turn(busy + inputs)
        return (replica, told)
    }

    @Test func `sessions that come late in a full turn have the smallest share`() {
        let late = (101...200).map { SessionID(number: $0) }
        let (_, told) = spentTurn(then: late.map { .requested(frame(numberedWrites), by: $0) })
        #expect(late.allSatisfy { (1...3).contains(told[$0]?.count ?? 0) })
    }

    @Test func `a large frame waits for the next turn if this one has spent its units`() {
        let text = Value.string(String(repeating: "x", count: 20_000))
        let large = ClientMessage.put(id: 1, path: "large", value: text)
        let little = ClientMessage.put(id: 1, path: "little", value: 1)
        var (replica, told) = spentTurn(then: [
            .requested(large.frame, by: hostile), .requested(little.frame, by: small),
        ])
        #expect(told[small] == [.ok(id: 1)])
        #expect(told[hostile] == nil)
        for _ in 0..<3 where told[hostile] == nil { told = replica.turn([]) }
        #expect(told[hostile] == [.ok(id: 1)])
    }
}
