import DataTree
import QueryEngine
import ReplicaCore
import Rules
import SyncProtocol
import Testing

@Suite struct AccessTests {
    /// Requests of each kind at one place.
    private static func requests(at path: Path) -> [ClientMessage] {
        [
            .get(id: 1, path: path), .children(id: 1, path: path), .listen(id: 1, path: path),
            .put(id: 1, path: path, value: 1), .push(id: 1, path: path, value: 1),
            .merge(id: 1, path: path, writes: [Write(path: "a", value: 1)]),
            .put(id: 1, path: path, value: 1, condition: Condition(DataHash(of: .null))),
            .onDisconnect(id: 1, path: path, value: 1),
            .onDisconnectMerge(id: 1, path: path, writes: [Write(path: "a", value: 1)]),
        ]
    }

    @Test(arguments: requests(at: "x"))
    func `without rules a user may do nothing, and an administrator everything`(
        _ request: ClientMessage
    ) {
        var node = RuledReplica(nil)
        #expect(node.permits(request) == false)
        #expect(node.value == .null)
        #expect(node.permits(request, by: RuledReplica.administrator) == true)
    }

    @Test(arguments: requests(at: "x"))
    func `rules permit one user and deny another`(_ request: ClientMessage) {
        let rules = #"{"x": {".read": "auth.uid == 'u1'", ".write": "auth.uid == 'u1'"}}"#
        var node = RuledReplica(rules)
        #expect(node.permits(request, by: RuledReplica.guest) == false)
        #expect(node.value == .null)
        #expect(node.permits(request) == true)
    }

    @Test(arguments: [
        ClientMessage.status(id: 1), .backup(id: 1, name: "b"), .evict(id: 1, member: "n2"),
        .rules(id: 1), .setRules(id: 1, source: "{}"), .writes(id: 1, beyond: VersionVector()),
        .why(id: 1, path: "a", beyond: VersionVector()),
    ])
    func `requests about the cluster are for administrators`(_ request: ClientMessage) {
        var node = RuledReplica(#"{".read": true, ".write": true}"#)
        #expect(node.permits(request) == false)
        #expect(node.permits(request, by: RuledReplica.administrator) == true)
    }

    @Test func `a grant ends with a change of the user or of the rules`() {
        let own = #"{"$u": {".write": "auth.uid == $u"}}"#
        var node = RuledReplica(own)
        #expect(node.permits(.put(id: 1, path: "u1/a", value: 1)) == true)
        #expect(node.permits(.put(id: 1, path: "u1/b", value: 1)) == true)
        #expect(node.permits(.put(id: 1, path: "u2/b", value: 1)) == false)
        _ = node.identify(RuledReplica.user, as: .user(.user("u2")))
        #expect(node.permits(.put(id: 1, path: "u1/b", value: 1)) == false)
        #expect(node.permits(.put(id: 1, path: "u2/b", value: 1)) == true)
        let other = RuledReplica.document(#"{"$u": {".write": "auth.uid == 'u3'"}}"#)
        _ = node.ask(.setRules(id: 1, source: other))
        #expect(node.permits(.put(id: 1, path: "u2/b", value: 1)) == false)
    }

    @Test func `a denial says nothing of the data`() {
        var node = RuledReplica(#"{"a": {".validate": "newData.val() > data.val()"}}"#)
        let before = node.ask(.get(id: 1, path: "a"), by: RuledReplica.user)
        _ = node.ask(.put(id: 1, path: "a", value: 5))
        #expect(node.ask(.get(id: 1, path: "a"), by: RuledReplica.user) == before)
    }

    @Test func `an update is executed with all its paths or not at all`() {
        var node = RuledReplica(#"{"a": {".write": true}, "b": {".write": "auth.uid == 'u2'"}}"#)
        let both = [Write(path: "a", value: 1), Write(path: "b", value: 1)]
        #expect(node.permits(.merge(id: 1, path: .root, writes: both)) == false)
        #expect(node.value == .null)
        #expect(node.permits(.merge(id: 2, path: .root, writes: Array(both.prefix(1)))) == true)
        #expect(node.value == ["a": 1])
    }

    @Test func `server values are resolved before rules see them`() {
        let rules = #"""
            {"c": {".write": true, ".validate": "newData.val() <= 3"},
             "at": {".write": true, ".validate": "newData.val() == now"}}
            """#
        var node = RuledReplica(rules, data: ["c": 2])
        let increment = Value.deferred(.increment(.integer(1)))
        #expect(node.permits(.put(id: 1, path: "c", value: increment)) == true)
        #expect(node.permits(.put(id: 2, path: "c", value: increment)) == false)
        #expect(node.value["c"] == 3)
        #expect(node.permits(.put(id: 3, path: "at", value: .deferred(.timestamp))) == true)
        #expect(node.permits(.put(id: 4, path: "at", value: 1)) == false)
    }

    @Test(arguments: [
        ("newData.val() == now", true), ("newData.val() <= now", true),
        ("newData.val() > now", false),
        ("newData.val() < now", false),
    ])
    func `rules see the time of a stamped write's server timestamps as now`(
        rule: String, isPermitted: Bool
    ) {
        for lag: UInt64 in [0, 1, 900] {
            var node = RuledReplica(#"{"at": {".write": "\#(rule)"}}"#)
            let time = node.milliseconds + 1 - lag
            let stamp = Stamp(time: HybridTime(milliseconds: time + 5_000), writer: 77)
            let at = Value.deferred(.timestamp)
            let put = ClientMessage.put(id: 1, path: "at", value: at, stamp: stamp, now: time)
            #expect(node.permits(put) == isPermitted)
            #expect(node.value["at"] == (isPermitted ? .integer(Int64(time)) : .null))
        }
    }

    @Test func `all server timestamps of an update are the rules' now`() {
        let rules = #"""
            {"a": {".write": "newData.val() == now"}, "n": {".write": "newData.val() == 3"},
             "b": {"$k": {".write": "newData.child('at').val() == now"}}}
            """#
        var node = RuledReplica(rules, data: ["n": 2])
        let at = Value.deferred(.timestamp)
        let writes = [
            Write(path: "a", value: at), Write(path: "b/k", value: ["at": at]),
            Write(path: "n", value: .deferred(.increment(.integer(1)))),
        ]
        let time = node.milliseconds - 400
        let stamp = Stamp(time: HybridTime(milliseconds: node.milliseconds), writer: 77)
        #expect(
            node.permits(.merge(id: 1, path: .root, writes: writes, stamp: stamp, now: time))
                == true)
        let expected = Value.integer(Int64(time))
        #expect(node.value == ["a": expected, "b": ["k": ["at": expected]], "n": 3])
    }

    @Test func `no client brings the rules a time that the node's clock has not reached`() {
        var node = RuledReplica(#"{"sale": {".write": "now > 1700000100000"}}"#)
        let stamp = Stamp(time: HybridTime(milliseconds: node.milliseconds), writer: 77)
        let put = ClientMessage.put(
            id: 1, path: "sale", value: 1, stamp: stamp, now: 1_700_000_100_001)
        let told = node.ask(put, by: RuledReplica.user)
        #expect(told.map(\.code) == [.undecided])
        #expect(node.value == .null)
    }

    @Test(arguments: [
        (1_000, nil), (1_800_000_000_000, nil), (1_700_000_000_010, 1_800_000_000_000),
    ])
    func `the refusal of a stamp names the node to administrators alone`(
        stamped: UInt64, time: UInt64?
    ) {
        for (session, isNamed) in [
            (RuledReplica.guest, false), (RuledReplica.user, false),
            (RuledReplica.administrator, true),
        ] {
            var node = RuledReplica(nil)
            let stamp = Stamp(time: HybridTime(milliseconds: stamped), writer: 77)
            let put = ClientMessage.put(id: 1, path: "x", value: 1, stamp: stamp, now: time)
            let told = node.ask(put, by: session)
            guard case .error(_, _, let problem, let fix)? = told.first else {
                Issue.record("\(told)")
                continue
            }
            #expect(problem.contains("n1") == isNamed && !fix.contains("n1"), "\(problem)")
        }
    }

    @Test func `rules come before the condition of a transaction`() {
        var node = RuledReplica("{}", data: ["a": 1])
        for hash in [DataHash(of: 1), DataHash(of: 2)] {
            let put = ClientMessage.put(id: 1, path: "a", value: 2, condition: Condition(hash))
            #expect(node.permits(put) == false)
        }
        #expect(node.value == ["a": 1])
    }

    @Test func `the repetition of an executed write is not checked again`() {
        var node = RuledReplica(#"{"a": {".write": "!data.exists()"}}"#)
        let stamp = Stamp(time: HybridTime(milliseconds: 1_700_000_000_010), writer: 77)
        let put = ClientMessage.put(id: 1, path: "a", value: 2, stamp: stamp)
        #expect(node.ask(put, by: RuledReplica.user) == [.ok(id: 1)])
        #expect(node.ask(put, by: RuledReplica.user) == [.ok(id: 1)])
        #expect(node.permits(.put(id: 2, path: "a", value: 3)) == false)
    }

    @Test func `rules see the shape of a query`() throws {
        let rules = """
            {"g": {".read": "query.orderByChild == 'lvl' && query.limitToFirst <= 10"},
             "k": {".read": "query.orderByKey"},
             "e": {".read": "query.equalTo == 3 && query.startAt == null"},
             "s": {".read": "query.startAt == 3 && query.endAt == null"}}
            """
        var node = RuledReplica(rules)
        let byLevel = try Query().ordered(byChild: "lvl")
        let byValue = try Query().orderedByValue()
        let cases: [(path: Path, query: Query, isPermitted: Bool)] = [
            ("g", try byLevel.limited(toFirst: 5), true), ("g", Query(), false),
            ("g", try byLevel.limited(toFirst: 11), false),
            ("g", try byLevel.limited(toLast: 5), false),
            ("k", Query(), false), ("k", try Query().orderedByKey(), true),
            ("e", try byValue.equal(to: 3), true), ("e", try byValue.starting(at: 3), false),
            ("s", try byValue.starting(at: 3), true), ("s", try byValue.equal(to: 3), false),
        ]
        for (number, one) in cases.enumerated() {
            let get = ClientMessage.get(id: 1, path: one.path, query: one.query)
            #expect(node.permits(get) == one.isPermitted, "get \(number)")
            let listen = ClientMessage.listen(
                id: UInt64(number + 2), path: one.path, query: one.query)
            #expect(node.permits(listen) == one.isPermitted, "listen \(number)")
        }
    }
}

// MARK: - On-disconnect writes

extension AccessTests {
    @Test
    func `an on-disconnect write is checked again at the end, with the client's identity then`() {
        var node = RuledReplica(#"{"x": {".write": "auth != null"}, "y": {".write": true}}"#)
        #expect(node.permits(.onDisconnect(id: 1, path: "x", value: 1)) == true)
        #expect(node.permits(.onDisconnect(id: 2, path: "y", value: 1)) == true)
        #expect(node.permits(.onDisconnect(id: 3, path: "z", value: 1)) == false)
        _ = node.told([.identified(RuledReplica.user, .anonymous), .closed(RuledReplica.user)])
        #expect(node.value == ["y": 1])
    }

    @Test func `dependent on-disconnect writes are checked together`() {
        let rules =
            #"{"a": {".write": "newData.parent().child('b').exists()"}, "b": {".write": true}}"#
        var node = RuledReplica(rules)
        let writes = [Write(path: "a", value: 1), Write(path: "b", value: 1)]
        #expect(node.permits(.onDisconnectMerge(id: 1, path: .root, writes: writes)) == true)
        _ = node.told([.closed(RuledReplica.user)])
        #expect(node.value == ["a": 1, "b": 1])
    }

    @Test func `a reused session number has no identity`() {
        var node = RuledReplica(#"{"x": {".read": "auth.uid == 'u1'"}}"#)
        #expect(node.permits(.status(id: 1)) == false)
        _ = node.told([.closed(RuledReplica.user)])
        #expect(node.permits(.status(id: 1)) == true)
    }
}

// MARK: - Indexes

extension AccessTests {
    @Test func `indexes of the rules stay`() throws {
        var children = Children()
        for number in 0..<300 { children[Key(unchecked: "k\(number)")] = ["n": 1] }
        let list = ClientMessage.put(id: 1, path: "g/a", value: Value(children))
        let get = ClientMessage.get(
            id: 2, path: "g/a", query: try Query().ordered(byChild: "n").limited(toFirst: 1))
        for (rules, kept) in [(#"{"g": {"$k": {".indexOn": "n"}}}"#, 1), ("{}", 0)] {
            var node = RuledReplica(rules)
            _ = node.ask(list)
            _ = node.ask(get)
            #expect(node.queries(after: 1).lists == 1)
            _ = node.queries(after: 400_000)
            #expect(node.queries(after: 1_000).lists == kept, "\(rules)")
        }
    }

    @Test func `where indexes are demanded, a query without one is refused by Firebase's text`()
        throws
    {
        var node = RuledReplica(
            #"{"games": {".indexOn": ["score", ".value"]}}"#, demandingIndexes: true)
        let problem =
            #"Index not defined, add ".indexOn": "level", for path "/games", to the rules"#
        let all = try Query().ordered(byChild: "level")
        for query in [try all.limited(toFirst: 1), all] {
            guard
                case .error(1, .invalid, problem, _)? =
                    node.ask(.get(id: 1, path: "games", query: query)).first
            else {
                Issue.record("another answer")
                return
            }
        }
        for query in [
            try Query().ordered(byChild: "score").limited(toFirst: 1),
            try Query().orderedByValue().limited(toFirst: 1),
            try Query().orderedByKey().limited(toFirst: 1), Query(),
        ] {
            #expect(node.ask(.get(id: 2, path: "games", query: query)).first?.code == nil)
        }
    }
}
