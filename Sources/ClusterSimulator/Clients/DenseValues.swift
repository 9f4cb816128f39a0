import DataTree
import QueryEngine
import ReplicaCore

/// Values that orders tell apart only late: strings with long common beginnings, and numbers where doubles are far from each other.
enum DenseValues {
    /// A number mostly, few of them, so that they tie.
    static func drawLeaf(_ random: inout SplitMix64) -> Value {
        if random.index(below: 10) > 0 { return .integer(Int64(random.number(below: 4))) }
        return late[random.index(below: late.count)]
    }

    /// The result of a function for a number: one more, or 0 if that is no integer.
    static func successor(of count: Int64) -> Value { .integer(count == .max ? 0 : count + 1) }

    private static let late: [Value] = [
        .string("measured-a"), .string("measured-b"), .string("measured-"),
        .string("measured-twice-0"),
        .string("measured-twice-1"), .string("measured-\u{FF5E}"), .string("measured-\u{1F600}"),
        .integer(.max), .integer(.max - 1), .integer(.min), .integer(-1),
        .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
        .integer(4_611_686_018_427_388_159), .double(0x1p63), .double(-0.5), .double(0.5),
        .double(1e300),
    ]
}

/// Queries that no node and no client may accept, each of them drawn with other values.
enum RefusedQueries {
    /// Builds one that has to be refused.
    ///
    /// - Throws: what it is refused with.
    static func build(_ random: inout SplitMix64) throws(DataError) {
        let query = Query()
        let value = Value.integer(Int64(random.number(below: 4)))
        switch random.index(below: 11) {
        case 0: _ = try query.orderedByKey().starting(at: value)
        case 1: _ = try query.starting(at: value).orderedByKey()
        case 2: _ = try query.orderedByKey().ending(at: .string("a"), key: "b")
        case 3: _ = try query.orderedByPriority().starting(at: .boolean(true))
        case 4:
            var object = Value.null
            object.set(value, at: Path([Key(unchecked: "a")]))
            _ = try query.orderedByValue().ending(before: object)
        case 5: _ = try query.ordered(byChild: "n").starting(at: value).starting(after: value)
        case 6: _ = try query.ordered(byChild: "n").ending(at: value).ending(before: value)
        case 7: _ = try query.ordered(byChild: "n").ending(at: value).equal(to: value)
        case 8: _ = try query.orderedByValue().starting(at: value).equal(to: value)
        case 9: _ = try query.limited(toFirst: 2).limited(toLast: 2)
        default: _ = try query.limited(toLast: 0)
        }
    }
}
