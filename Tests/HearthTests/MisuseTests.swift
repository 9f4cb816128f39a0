import DataTree
import Foundation
import Testing

@testable import Hearth

/// Invalid calls that cannot throw: each use of their result fails, and the program goes on.
@Suite(.timeLimit(.minutes(1))) struct MisuseTests {
    /// An invalid call, and a part of its error.
    struct Misuse: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let problem: String
        let call: @Sendable (DatabaseReference) -> DatabaseQuery

        init(
            _ name: String, _ problem: String,
            _ call: @escaping @Sendable (DatabaseReference) -> DatabaseQuery
        ) {
            testDescription = name
            self.problem = problem
            self.call = call
        }
    }

    static let queries = [
        Misuse("a second order", "You can't combine multiple orderBy calls") {
            $0.queryOrderedByKey().queryOrderedByValue()
        },
        Misuse("a second order behind a limit", "You can't combine multiple orderBy calls") {
            $0.queryOrderedByPriority().queryLimited(toLast: 3).queryOrdered(byChild: "a")
        },
        Misuse("a limit of zero", "must be a positive integer") { $0.queryLimited(toFirst: 0) },
        Misuse("a last limit of zero", "must be a positive integer") {
            $0.queryLimited(toLast: 0)
        },
        Misuse("a second limit", "Limit was already set") {
            $0.queryLimited(toFirst: 1).queryLimited(toLast: 1)
        },
        Misuse("a second start", "Starting point was already set") {
            $0.queryOrderedByValue().queryStarting(atValue: 1).queryStarting(afterValue: 2)
        },
        Misuse("a second end", "endBefore: Starting point was already set") {
            $0.queryOrderedByValue().queryEnding(atValue: 1).queryEnding(beforeValue: 2)
        },
        Misuse("a start and an equal value", "equalTo: Starting point was already set") {
            $0.queryOrderedByValue().queryStarting(atValue: 1).queryEqual(toValue: 1)
        },
        Misuse("an end and an equal value", "equalTo: Ending point was already set") {
            $0.queryOrderedByValue().queryEnding(atValue: 1).queryEqual(toValue: 1)
        },
        Misuse("a number as a bound of keys", "must be a string") {
            $0.queryOrderedByKey().queryStarting(atValue: 1)
        },
        Misuse("a key beside a bound of keys", "you may only pass one argument") {
            $0.queryOrderedByKey().queryStarting(atValue: "a", childKey: "b")
        },
        Misuse("a truth as a priority", "must be a valid priority value") {
            $0.queryOrderedByPriority().queryEnding(atValue: true)
        },
        Misuse("an object as a bound", "cannot be an object") {
            $0.queryOrderedByValue().queryEqual(toValue: ["a": 1])
        },
        Misuse("a server value as a bound", "cannot be an object") {
            $0.queryOrderedByValue().queryEqual(toValue: ServerValue.timestamp())
        },
        Misuse("a date as a bound", "cannot be stored") {
            $0.queryOrderedByValue().queryEqual(toValue: Date())
        },
        Misuse("no number as a bound", "nan is not data") {
            $0.queryOrderedByValue().queryEqual(toValue: Double.nan)
        },
        Misuse("an invalid key of a bound", "invalid key = \"a/b\"") {
            $0.queryOrderedByValue().queryStarting(atValue: 1, childKey: "a/b")
        },
        Misuse("an order by an invalid path", "invalid key \"a.b\"") {
            $0.queryOrdered(byChild: "a.b")
        },
        Misuse("an order by no path", "cannot pass in empty path") { $0.queryOrdered(byChild: "") },
        Misuse("an order by a reserved name", "Use orderByKey() instead") {
            $0.queryOrdered(byChild: "$key")
        },
    ]

    static let paths = [
        Misuse("a bad character", "invalid key \"a.b\"") { $0.child("a.b") },
        Misuse("a control character", "invalid key \"\u{1}\"") { $0.child("\u{1}") },
        Misuse("a place below a priority", "nothing lies below .priority") {
            $0.child(".priority/a")
        },
        Misuse("a place below a reference to a priority", "it is") {
            $0.child(".priority").child(String(repeating: "a/", count: 33))
        },
        Misuse("a key that is too long", "invalid key") {
            $0.child(String(repeating: "k", count: 769))
        },
        Misuse("a path that is too deep", "it is 33 keys deep") {
            $0.child(String(repeating: "a/", count: 16)).child(String(repeating: "a/", count: 16))
        },
        Misuse("a bad path in .info", "invalid key") { $0.root.child(".info/a.b") },
        Misuse("a place below a bad path", "invalid key \"a.b\"") { $0.child("a.b").child("c") },
        Misuse("a new key below a bad path", "invalid key \"a.b\"") {
            $0.child("a.b").childByAutoId()
        },
        Misuse("the place above a bad path", "invalid key \"a.b\"") { $0.child("a.b").parent! },
        Misuse("a bad path with a concern", "invalid key \"a.b\"") {
            $0.child("a.b").withWriteConcern(.all)
        },
        Misuse("a query of a bad path", "invalid key \"a.b\"") {
            $0.child("a.b").queryLimited(toFirst: 1)
        },
        Misuse("the place of a query of a bad path", "invalid key \"a.b\"") {
            $0.child("a.b").queryLimited(toFirst: 1).ref
        },
        Misuse("a text that is no URL", "not a URL of a location") {
            $0.database.reference(fromURL: "rooms")
        },
        Misuse("a URL of another node", "is not in the database at http://127.0.0.1:1") {
            $0.database.reference(fromURL: "http://127.0.0.1:2/a")
        },
        Misuse("a URL with a bad key", "invalid key \"a.b\"") {
            $0.database.reference(fromURL: "http://127.0.0.1:1/a.b")
        },
    ]

    /// No node is there: a call that reached the connection would wait.
    private let place = Database(nodes: ["http://127.0.0.1:1"]).reference(withPath: "a")

    @Test(arguments: queries + paths)
    func `a read of an invalid query fails with the reason`(misuse: Misuse) async {
        let query = misuse.call(place)
        let error = await #expect(throws: HearthError.self) { try await query.getData() }
        #expect(error?.code == .invalid)
        #expect(error?.effect == HearthError.Effect.none)
        #expect(error?.problem.contains(misuse.problem) == true, "\(error?.problem ?? "")")
    }

    @Test(arguments: queries + paths)
    func `an observer of an invalid query is cancelled with the reason`(misuse: Misuse) async {
        let query = misuse.call(place)
        let heard = Heard()
        let handle = query.observe(.childAdded) { _ in
            heard.add("called")
        } withCancel: { error in
            heard.add(error.code.rawValue)
        }
        #expect(handle == 0)
        #expect(throws: Never.self) { try heard.wait(for: ["invalid"]) }
        await #expect(throws: HearthError.self) {
            try await query.observeSingleEventAndPreviousSiblingKey(of: .value)
        }
        await #expect(throws: HearthError.self) { for try await _ in query.values {} }
        var events: [DataEvent] = []
        for await event in query.events { events.append(event) }
        guard case .cancelled(let error)? = events.first, events.count == 1 else {
            Issue.record("the events are \(events)")
            return
        }
        #expect(error.problem.contains(misuse.problem))
        query.keepSynced(true)
        query.keepSynced(false)
        query.removeObserver(withHandle: handle)
        query.removeAllObservers()
    }

    @Test(arguments: paths)
    func `a write at an invalid path fails with the reason`(misuse: Misuse) async {
        guard let place = misuse.call(place) as? DatabaseReference else { return }
        let writes: [(DatabaseReference) async throws -> Void] = [
            { try await $0.setValue(1) },
            { try await $0.setPriority(1) },
            { try await $0.removeValue() },
            { try await $0.updateChildValues(["b": 1] as [AnyHashable: Any]) },
            { try await $0.onDisconnectRemoveValue() },
            { try await $0.cancelDisconnectOperations() },
            { _ = try await $0.runTransactionBlock { .success(withValue: $0) } },
        ]
        for write in writes {
            let error = await #expect(throws: HearthError.self) { try await write(place) }
            #expect(error?.code == .invalid)
            #expect(error?.problem.contains(misuse.problem) == true)
        }
    }

    @Test func `an invalid write without a callback does not end the program`() {
        for misuse in Self.paths {
            guard let place = misuse.call(place) as? DatabaseReference else { continue }
            place.setValue(1)
            place.setPriority([1])
            place.onDisconnectSetValue(1)
            place.updateChildValues(["a.b": 1])
        }
    }

    @Test func `an invalid path keeps its text, and the root above it is valid`() {
        let place = place.child("b.c")
        #expect(place.key == "b.c")
        #expect(place.url == "http://127.0.0.1:1/a/b.c")
        #expect(place.root == self.place.root)
        #expect(place != self.place.child("b").child("c"))
        #expect(place == self.place.child("b.c"))
        #expect(self.place.queryLimited(toFirst: 0) != self.place)
    }

    @Test func `nothing is at an invalid path of a snapshot`() {
        let snapshot = DataSnapshot(["b": 1], at: place)
        #expect(!snapshot.hasChild("b.c"))
        #expect(!snapshot.hasChild("\u{1}"))
        #expect(!snapshot.childSnapshot(forPath: "b/c.d").exists())
        #expect(snapshot.hasChild("b"))
    }

    @Test func `a limit or a wait beyond all numbers is no trap`() async {
        place.database.readTimeout = .milliseconds(1)
        for query in [place.queryLimited(toFirst: .max), place.queryLimited(toLast: .max)] {
            let error = await #expect(throws: HearthError.self) { try await query.getData() }
            #expect(error?.code == .unreachable)
        }
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == 31_557_600_000_000)
        #expect(Duration.seconds(-1).wholeMilliseconds == 0)
        #expect(Duration.milliseconds(10_001).wholeMilliseconds == 10_001)
    }

    @Test func `a setting that comes too late has no effect`() {
        let database = Database(nodes: ["http://127.0.0.1:1"])
        database.persistenceCacheSizeBytes = 5
        #expect((try? database.connection.get()) != nil)
        database.isPersistenceEnabled = true
        database.persistenceCacheSizeBytes = 7
        #expect(!database.isPersistenceEnabled)
        #expect(database.persistenceCacheSizeBytes == 5)
    }
}

/// Invalid calls whose outcome a node may decide.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MisuseAtNodeTests {
    private let node: TestNode
    private let place: DatabaseReference

    init() throws {
        node = try TestNode()
        place = Database(nodes: [node.url]).reference(withPath: "a")
    }

    @Test(
        arguments: [
            { @Sendable (data: MutableData) in data.value = Date() },
            { data in data.value = ["x": Double.nan] },
            { data in data.value = ["a/b": 1] },
            { data in data.value = [1: 2] },
            { data in data.priority = true },
            { data in
                data.value = "changed"
                data.priority = true
            },
            { data in data.priority = ["a": 1] },
            { data in data.data = .double(.infinity) },
            { data in data.data = ["a/b": 1] },
            { data in data.childData(byAppendingPath: "b.c").value = 1 },
            { data in data.childData(byAppendingPath: ".priority/b").value = 1 },
            { data in data.childData(byAppendingPath: ".priority").value = ["x": 1] },
            { data in _ = data.hasChild(atPath: "\u{1}") },
            { data in data.childData(byAppendingPath: String(repeating: "a/", count: 32)).value = 1
            },
        ] as [@Sendable (MutableData) -> Void])
    func `a transaction with invalid data fails with the reason`(
        change: @escaping @Sendable (MutableData) -> Void
    ) async throws {
        try await place.setValue("before")
        let heard = Heard()
        place.observe(.value) { heard.add("\($0.data)") }
        try heard.wait(for: ["\"before\""])
        let error = await #expect(throws: HearthError.self) {
            try await place.runTransactionBlock { data in
                change(data)
                return .success(withValue: data)
            }
        }
        #expect(error?.code == .invalid, "\(error.map { "\($0)" } ?? "")")
        try await place.setValue("after")
        try heard.wait(until: "\"after\"")
        #expect(heard.lines == ["\"before\"", "\"after\""])
    }

    @Test(
        arguments: [
            { @Sendable place in try await place.setValue(["a/b": 1] as Value) },
            { place in try await place.setValue(["b": ["": 1]] as Value) },
            { place in try await place.setValue(["b.c": 1]) },
            { place in try await place.setValue(Value.integer(1).prioritized(.boolean(true))) },
            { place in try await place.setValue(1, andPriority: ["a": 1]) },
            { place in try await place.setPriority([1]) },
            { place in try await place.child(".priority").setValue(["x": 1]) },
            { place in try await place.child(".priority").setPriority(1) },
            { place in try await place.updateChildValues(["b.c": 1]) },
            { place in try await place.updateChildValues([".priority": true] as [AnyHashable: Any])
            },
            { place in try await place.updateChildValues(["b": 1, "b/c": 2]) },
            { place in try await place.updateChildValues(["/": 1]) },
            { place in try await place.updateChildValues([1: 2] as [AnyHashable: Any]) },
            { place in try await place.setValue(ServerValue.increment(Double.nan)) },
            { place in try await place.setValue(Data()) },
            { place in try await place.onDisconnectSetValue(Double.nan) },
            { place in try await place.onDisconnectSetValue(["a/b": 1] as Value) },
            { place in try await place.onDisconnectUpdateChildValues(["b": 1, "b/c": 2]) },
            { place in try await place.root.child(".info/connected").setValue(false) },
            { place in try await place.root.child(".info").removeValue() },
            { place in
                _ = try await place.root.child(".info/x").runTransactionBlock {
                    .success(withValue: $0)
                }
            },
        ] as [@Sendable (DatabaseReference) async throws -> Void])
    func `an invalid write fails, no observer sees it, and the connection goes on`(
        write: @escaping @Sendable (DatabaseReference) async throws -> Void
    ) async throws {
        let heard = Heard()
        place.observe(.value) { heard.add("\($0.data)") }
        try heard.wait(for: ["null"])
        let error = await #expect(throws: HearthError.self) { try await write(place) }
        #expect(error?.code == .invalid, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.effect == HearthError.Effect.none)
        try await place.setValue("after")
        try heard.wait(until: "\"after\"")
        #expect(heard.lines == ["null", "\"after\""])
    }
}
