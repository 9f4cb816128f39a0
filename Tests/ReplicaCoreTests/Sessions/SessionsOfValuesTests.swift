import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol
import Testing

/// Sessions whose requests and answers are values.
@Suite struct SessionsOfValuesTests {
    private let values = SessionID(number: 5)
    private let frames = SessionID(number: 6)

    private func replica() -> TestReplica {
        var replica = TestReplica()
        _ = replica.turn([.opened(values)])
        return replica
    }

    @Test func `a client that has only doubles holds a whole number as the next one`() {
        var replica = replica()
        let number = Universe.object(["a": .integer(1 << 53 + 1)])
        let held = HeldData(hash: DataHash(of: Universe.object(["a": .double(0x1p53)])))
        let requests: [ClientMessage] = [
            .put(id: 1, path: "list", value: number), .listen(id: 2, path: "list", held: held),
        ]
        let told = replica.ask(requests, ofValues: values)
        #expect(told.contains(.change(listen: 2, writes: [])))
    }

    @Test func `both kinds of session get the same answers to the same requests`() throws {
        let last = try Query().orderedByKey().limited(toLast: 2)
        let list = Universe.object(["a": 1, "b": 2, "c": ["d": 3]])
        let held = HeldData(hash: DataHash(of: list))
        let requests: [ClientMessage] = [
            .put(id: 1, path: "list", value: list), .get(id: 2, path: "list"),
            .get(id: 3, path: "list", query: last), .get(id: 4, path: "list/.priority"),
            .children(id: 5, path: "list", limit: 2), .listen(id: 6, path: "list"),
            .listen(id: 7, path: "list", query: last), .listen(id: 8, path: "list", held: held),
            .listen(id: 6, path: "x"),
            .merge(
                id: 9, path: "list",
                writes: [
                    Write(path: "a", value: .null), Write(path: "c/d", value: 4),
                ]),
            .put(id: 10, path: "list/a", value: 1, condition: Condition(DataHash(of: 2))),
            .put(id: 11, path: "list/a", value: 1, condition: Condition(DataHash(of: .null))),
            .put(id: 12, path: "list/b", value: 2, concern: .majority),
            .unlisten(id: 13, listen: 7), .unlisten(id: 14, listen: 7),
            .onDisconnect(id: 15, path: "gone", value: 1),
            .onDisconnectMerge(id: 16, path: "left", writes: [Write(path: "a", value: 1)]),
            .onDisconnectCancel(id: 17, path: "left"), .ping(id: 18),
            .evict(id: 19, member: "n9"), .awaitStable(id: 20, milliseconds: 5),
        ]
        var ofValues = replica()
        var ofFrames = replica()
        for request in requests {
            let answers = ofValues.ask([request], ofValues: values)
            #expect(answers == ofFrames.ask(request, by: frames.number), "\(request)")
        }
        #expect(ofValues.turn([])[values] == ofFrames.turn([])[frames])
        _ = ofValues.turn([.closed(values)])
        _ = ofFrames.turn([.closed(frames)])
        #expect(ofValues.value == ofFrames.value)
        #expect(ofValues.value["gone"] == 1)
    }

    @Test func `a slow session receives missed changes before and after its answers`()
        throws
    {
        var replica = replica()
        let last = try Query().orderedByKey().limited(toLast: 2)
        _ = replica.ask([.listen(id: 1, path: "a", query: last)], ofValues: values)
        _ = replica.ask([.listen(id: 2, path: "a")], ofValues: values)
        _ = replica.turn([.backpressured(values)])
        let put = ClientMessage.put(id: 3, path: "a/b", value: 1)
        #expect(replica.turn([.requestedMessages([put], by: values)]).isEmpty)
        _ = replica.ask(.put(id: 4, path: "a", value: ["c": 2]), by: frames.number)
        let told = replica.turn([.writable(values)])[values]
        let all = NodeMessage.change(listen: 1, writes: [Write(path: .root, value: ["c": 2])])
        #expect(told?.firstIndex(of: .ok(id: 3)) == 2)
        #expect(told?.last == all && told?.count == 4)
    }

    @Test(
        arguments: [
            (.get(id: 3, path: "a"), .value(id: 3, value: ["b": 1])),
            (
                .children(id: 3, path: "a"),
                .value(id: 3, value: ["count": 1, "children": ["b": 1]])
            ),
        ] as [(ClientMessage, NodeMessage)])
    func `a slow session receives missed changes before the answer to a read`(
        read: ClientMessage, answer: NodeMessage
    ) {
        var replica = replica()
        _ = replica.ask([.listen(id: 1, path: "a")], ofValues: values)
        _ = replica.turn([.backpressured(values)])
        _ = replica.ask(.put(id: 2, path: "a/b", value: 1), by: frames.number)
        #expect(replica.turn([.requestedMessages([read], by: values)]).isEmpty)
        let change = NodeMessage.change(
            listen: 1, writes: [Write(path: .root, value: ["b": 1])])
        #expect(replica.turn([.writable(values)])[values] == [change, answer])
    }

    @Test func `listeners at one place share the number of a notice, and no other has it`() {
        var replica = replica()
        let other = SessionID(number: 7)
        _ = replica.turn([.opened(other)])
        _ = replica.ask([.put(id: 0, path: "a/z", value: 1)], ofValues: values)
        _ = replica.ask([.listen(id: 1, path: "a"), .listen(id: 2, path: "a/b")], ofValues: values)
        _ = replica.ask([.listen(id: 3, path: "a")], ofValues: other)
        _ = replica.ask(.listen(id: 4, path: "a"), by: frames.number)
        var numbers: Set<UInt64> = []
        for value in [1, 2] as [Value] {
            let told = replica.turn([
                .requestedMessages([.put(id: 9, path: "a/b", value: value)], by: other)
            ])
            let change = [Write(path: "b", value: value)]
            #expect(
                told == [
                    values: [
                        .change(listen: 1, writes: change),
                        .change(listen: 2, writes: [Write(path: .root, value: value)]),
                    ],
                    other: [.change(listen: 3, writes: change), .ok(id: 9)],
                    frames: [.change(listen: 4, writes: change)],
                ])
            let own = replica.answers[values]!.map(\.notice)
            let others = replica.answers[other]!.map(\.notice)
            #expect(own[0] == others[0] && own[0] != own[1] && others[1] == 0)
            #expect(!own.contains(0) && numbers.isDisjoint(with: own))
            numbers.formUnion(own)
        }
    }

    @Test(
        arguments: [
            .listen(id: 1, path: "a/.priority"), .children(id: 1, path: "a/.priority"),
            .push(id: 1, path: "a/.priority", value: 1),
            .onDisconnectCancel(id: 1, path: "a/.priority"),
            .put(id: 1, path: "a/.priority", value: true),
            .onDisconnect(id: 1, path: "a/.priority", value: ["b": 1]),
            .merge(id: 1, path: "a/.priority", writes: [Write(path: "b", value: 1)]),
            .merge(id: 1, path: "a", writes: [Write(path: .root, value: 1)]),
            .onDisconnectMerge(
                id: 1, path: "a",
                writes: [Write(path: "b", value: 1), Write(path: "b/c", value: 1)]),
        ] as [ClientMessage])
    func `a request that no frame could carry is refused`(request: ClientMessage) {
        var replica = replica()
        let told = replica.ask([request, .ping(id: 2)], ofValues: values)
        guard case .error(id: 1, code: .invalid, _, _)? = told.first, told.count == 2 else {
            Issue.record("\(told)")
            return
        }
        _ = replica.turn([.closed(values)])
        #expect(replica.value == .null)
        guard case .message? = try! FrameReader<ClientMessage>.messages(in: request.frame).first
        else { return }
        Issue.record("a frame carries \(request)")
    }

    @Test func `requests of a session that is not open are not served`() {
        var replica = TestReplica()
        let put = ClientMessage.put(id: 1, path: "a", value: 1)
        #expect(replica.turn([.requestedMessages([put], by: values)]) == [:])
        _ = replica.turn([.opened(values)])
        let inputs: [Input] = [.requestedMessages([.ping(id: 1)], by: values), .closed(values)]
        #expect(replica.turn(inputs + [.requestedMessages([put], by: values)]) == [:])
        #expect(replica.value == .null)
        #expect(replica.ask([put], ofValues: values).isEmpty)
    }

    @Test func `a silent session of values is neither probed nor ended`() {
        var replica = replica()
        _ = replica.ask([.onDisconnect(id: 1, path: "a", value: 1)], ofValues: values)
        _ = replica.ask(.onDisconnect(id: 1, path: "b", value: 1), by: frames.number)
        var told: [SessionID: [NodeMessage]] = [:]
        for _ in 0..<20 { told.merge(replica.turn([], after: 1_000)) { $0 + $1 } }
        #expect(told[values] == nil)
        #expect(told[frames]?.isEmpty == false)
        #expect(replica.value == ["b": 1])
        _ = replica.turn([.closed(values)])
        #expect(replica.value == ["a": 1, "b": 1])
    }

    @Test func `large answers are no load, because they are not encoded here`() {
        var replica = replica()
        let large = Value.string(String(repeating: "x", count: 9 << 20))
        _ = replica.ask([.put(id: 1, path: "a", value: large)], ofValues: values)
        let requests = (1...20).map { ClientMessage.get(id: $0, path: "a") }
        let told = replica.ask(requests, ofValues: values)
        #expect(told == (1...20).map { .value(id: $0, value: large) })
    }

    @Test func `while the disk accepts no writes, the refusal comes at once`() {
        var replica = replica()
        let told = replica.turn([
            .storageFailed(problem: "full", fix: "free some"),
            .requestedMessages([.put(id: 1, path: "a", value: 1), .status(id: 2)], by: values),
        ])
        #expect(
            told[values]?.first
                == .error(id: 1, code: .unavailable, problem: "full", fix: "free some"))
        #expect(told[values]?.count == 2)
    }

    @Test func `the whole value replaces ranges with only a priority`() throws {
        let shown = Value(Universe.object(["-a": 1, "-b": 2]).children).prioritized(3)
        let posts: [Path] = ["-b"]
        let whole = CompoundHash(of: shown) { path, _ in path == posts[0] }
        let other = DataHash(of: .string("other"))
        let hashes = [whole.hashes[0], other.text, ""]
        let held = HeldData(
            hash: other,
            ranges: try CompoundHash(posts: [posts[0], ".priority"], hashes: hashes))
        let requests = [ClientMessage.listen(id: 2, path: "a", held: held)]
        var ofFrames = replica()
        _ = ofFrames.ask(.put(id: 1, path: "a", value: shown))
        let framed = ofFrames.ask(requests[0])
        guard case .ranges? = framed.last else {
            Issue.record("frames carry such ranges: \(framed)")
            return
        }
        var replica = replica()
        _ = replica.ask([.put(id: 1, path: "a", value: shown)], ofValues: values)
        let told = replica.ask(requests, ofValues: values)
        #expect(
            told == [
                .ok(id: 2), .change(listen: 2, writes: [Write(path: .root, value: shown)]),
            ])
    }
}

/// Sessions of values whose programs read slowly.
@Suite struct SlowSessionOfValuesTests {
    private let slow = SessionID(number: 5)

    private func replica(listeningAt paths: Path...) -> TestReplica {
        var replica = TestReplica()
        _ = replica.turn([.opened(slow)])
        for (id, path) in paths.enumerated() {
            _ = replica.ask([.listen(id: UInt64(id), path: path)], ofValues: slow)
        }
        return replica
    }

    @Test func `an acknowledgement waits with the data of its write`() {
        var replica = replica(listeningAt: "a")
        _ = replica.turn([.backpressured(slow)])
        let elsewhere = ClientMessage.put(id: 8, path: "b", value: 1)
        #expect(replica.ask([elsewhere], ofValues: slow) == [.ok(id: 8)], "it misses nothing yet")
        #expect(replica.ask([.put(id: 9, path: "a", value: 1)], ofValues: slow) == [])
        #expect(replica.ask([.put(id: 10, path: "b", value: 2)], ofValues: slow) == [])
        #expect(
            replica.turn([.writable(slow)])[slow] == [
                .change(listen: 0, writes: [Write(path: .root, value: 1)]), .ok(id: 9), .ok(id: 10),
            ])
        #expect(replica.ask([.put(id: 11, path: "b", value: 3)], ofValues: slow) == [.ok(id: 11)])
    }

    @Test func `a waiting read shows no older data than earlier messages`() {
        var replica = replica(listeningAt: "a")
        _ = replica.turn([.backpressured(slow)])
        _ = replica.ask(.put(id: 1, path: "a", value: 1))
        #expect(replica.ask([.get(id: 2, path: "a")], ofValues: slow) == [])
        _ = replica.ask(.put(id: 1, path: "a", value: 2))
        #expect(
            replica.turn([.writable(slow)])[slow] == [
                .change(listen: 0, writes: [Write(path: .root, value: 2)]),
                .value(id: 2, value: 2),
            ])
    }

    @Test func `answers keep their order although the listen that missed data has ended`() {
        var replica = replica(listeningAt: "a")
        _ = replica.turn([.backpressured(slow)])
        _ = replica.ask([.put(id: 1, path: "a", value: 1)], ofValues: slow)
        _ = replica.ask([.unlisten(id: 2, listen: 0)], ofValues: slow)
        #expect(replica.ask([.put(id: 3, path: "b", value: 1)], ofValues: slow) == [])
        #expect(replica.turn([.writable(slow)])[slow] == [.ok(id: 1), .ok(id: 2), .ok(id: 3)])
    }

    @Test func `answers wait for the last of much missed data`() {
        var replica = replica(listeningAt: "a", "b", "c", "d")
        let text = Value.string(String(repeating: "x", count: 200_000))
        _ = replica.turn([.backpressured(slow)])
        for path in ["a", "b", "c", "d"] as [Path] {
            _ = replica.ask(.put(id: 1, path: path, value: text))
        }
        _ = replica.ask([.ping(id: 7)], ofValues: slow)
        #expect(replica.turn([.writable(slow)])[slow]?.count == 2)
        let rest = replica.turn([])[slow]
        #expect(rest?.count == 3)
        guard case .value(id: 7, _)? = rest?.last else {
            Issue.record("the answer is not the last")
            return
        }
    }

    @Test func `beyond a bound of waiting answers requests are refused at once`() {
        var replica = replica(listeningAt: "a")
        _ = replica.turn([.backpressured(slow)])
        _ = replica.ask(.put(id: 1, path: "a", value: 1))
        let many = (1...10_001).map { ClientMessage.put(id: $0, path: "b", value: 1) }
        var told = replica.ask(many, ofValues: slow)
        while replica.hasDueWork { told += replica.turn([])[slow] ?? [] }
        guard case .error(id: 10_001, code: .tooBig, _, _)? = told.first, told.count == 1 else {
            Issue.record("\(told.count)")
            return
        }
        #expect(replica.turn([.writable(slow)])[slow]?.count == 10_001)
        #expect(replica.ask([.ping(id: 1)], ofValues: slow).count == 1)
    }

    @Test func `a session of frames is answered at once`() {
        var replica = TestReplica()
        _ = replica.ask(.listen(id: 1, path: "a"), by: 5)
        _ = replica.turn([.backpressured(slow)])
        #expect(replica.ask(.put(id: 9, path: "a", value: 1), by: 5) == [.ok(id: 9)])
    }
}
