import DataTree
import Testing

@testable import QueryEngine

@Suite struct QueryTests {
    typealias Attempt = @Sendable () throws -> Query

    static let refused: [(message: String, attempt: Attempt)] = [
        (
            "orderByValue: You can't combine multiple orderBy calls.",
            { try Query().orderedByKey().orderedByValue() }
        ),
        (
            "orderByPriority: You can't combine multiple orderBy calls.",
            { try Query().orderedByPriority().orderedByPriority() }
        ),
        (
            "startAt: Starting point was already set (by another call to startAt, startBefore or "
                + "equalTo).",
            { try Query().starting(after: .integer(1)).starting(at: .integer(2)) }
        ),
        (
            "startAfter: Starting point was already set (by another call to startAt, startAfter, "
                + "or equalTo).",
            { try Query().equal(to: .null).starting(after: .null) }
        ),
        (
            "endAt: Starting point was already set (by another call to endAt, endBefore or "
                + "equalTo).",
            { try Query().ending(before: .null).ending(at: .null) }
        ),
        (
            "endBefore: Starting point was already set (by another call to endAt, endBefore or "
                + "equalTo).",
            { try Query().ending(at: .null).ending(before: .null) }
        ),
        (
            "equalTo: Starting point was already set (by another call to startAt/startAfter or "
                + "equalTo).",
            { try Query().starting(at: .null).equal(to: .null) }
        ),
        (
            "equalTo: Ending point was already set (by another call to endAt/endBefore or "
                + "equalTo).",
            { try Query().ending(at: .null).equal(to: .null) }
        ),
        (
            "limitToLast: Limit was already set (by another call to limitToFirst or limitToLast).",
            { try Query().limited(toFirst: 1).limited(toLast: 1) }
        ),
        (
            "limitToFirst: First argument must be a positive integer.",
            { try Query().limited(toFirst: 0) }
        ),
        (keyAlone, { try Query().orderedByKey().starting(at: .string("a"), key: "b") }),
        // The key that startAfter implies counts as one.
        (keyAlone, { try Query().starting(after: .string("a")).orderedByKey() }),
        (keyString, { try Query().orderedByKey().equal(to: .integer(1)) }),
        (keyString, { try Query().ending(at: .null).orderedByKey() }),
        (noPriority, { try Query().starting(at: .boolean(true)) }),
        (noPriority, { try Query().starting(at: .boolean(true)).orderedByPriority() }),
        (noObject, { try Query().orderedByValue().ending(at: object) }),
        (
            "orderByChild: \"$key\" is invalid.  Use orderByKey() instead.",
            { try Query().ordered(byChild: "$key") }
        ),
        (
            "orderByChild: cannot pass in empty path. Use orderByValue() instead.",
            { try Query().ordered(byChild: "/") }
        ),
    ]

    private static let keyAlone =
        "Query: When ordering by key, you may only pass one argument to startAt(), endAt(), or "
        + "equalTo()."
    private static let keyString =
        "Query: When ordering by key, the argument passed to startAt(), startAfter(), endAt(), "
        + "endBefore(), or equalTo() must be a string."
    private static let noPriority =
        "Query: When ordering by priority, the first argument passed to startAt(), startAfter() "
        + "endAt(), endBefore(), or equalTo() must be a valid priority value (null, a number, or a "
        + "string)."
    private static let noObject =
        "Query: First argument passed to startAt(), startAfter(), endAt(), endBefore(), or "
        + "equalTo() cannot be an object."
    private static var object: Value {
        var value = Value.null
        value.set(.integer(1), at: Path([Key(unchecked: "a")]))
        return value
    }

    @Test(arguments: 0..<refused.count)
    func `invalid queries are refused in Firebase's words`(number: Int) {
        let (message, attempt) = QueryTests.refused[number]
        let error = #expect(throws: DataError.self) { try attempt() }
        #expect(error?.problem == message)
        #expect(error?.fix.isEmpty == false)
    }

    @Test func `an invalid key or child path is refused`() {
        #expect(throws: DataError.self) { try Query().starting(at: .null, key: "a/b") }
        #expect(throws: DataError.self) { try Query().ending(before: .null, key: "") }
        #expect(throws: DataError.self) { try Query().ordered(byChild: "a//$b") }
        #expect(throws: DataError.self) { try Query().ordered(byChild: "a/.priority") }
        #expect(throws: DataError.self) { try Query().starting(at: .double(.nan)) }
    }

    @Test func `queries that ask the same are equal`() throws {
        #expect(try Query().orderedByPriority() == Query())
        let a = try Query().ordered(byChild: "/a//b/").starting(at: .double(2))
        let b = try Query().starting(at: .integer(2)).ordered(byChild: "a/b")
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        let exclusive = try Query().ordered(byChild: "a/b").starting(after: .integer(2))
        #expect(a != exclusive)
        #expect(try Query().limited(toFirst: 2) != Query().limited(toLast: 2))
    }

    @Test func `a query travels as members and comes back equal`() throws {
        for seed in 0..<500 {
            var lists = RandomLists(seed: seed)
            let query = try lists.query()
            #expect(try Query(QueryMembers(query)) == query)
        }
        let query = try Query().ordered(byChild: "a/b").starting(after: .null).limited(toLast: 3)
        var members = QueryMembers()
        members.index = "a/b"
        members.startValue = .null
        members.startKey = "[MAX_NAME]"
        members.startIsInclusive = false
        members.limit = 3
        members.viewFrom = "r"
        #expect(QueryMembers(query) == members)
    }

    @Test func `members of older clients mean what they meant`() throws {
        var members = QueryMembers()
        members.limit = 2
        #expect(try Query(members) == Query().limited(toLast: 2))
        members.startValue = .integer(1)
        #expect(try Query(members) == Query().starting(at: .integer(1)).limited(toFirst: 2))
    }

    @Test func `members that are no query are refused`() {
        func refuses(_ change: (inout QueryMembers) -> Void) -> Bool {
            var members = QueryMembers()
            change(&members)
            return (try? Query(members)) == nil
        }
        #expect(refuses { $0.limit = 0 })
        #expect(refuses { ($0.limit, $0.viewFrom) = (1, "x") })
        #expect(refuses { $0.startKey = "a" })
        #expect(refuses { $0.endIsInclusive = false })
        #expect(refuses { $0.index = "a/.priority" })
        #expect(refuses { ($0.index, $0.startValue) = (".key", .integer(1)) })
    }
}
