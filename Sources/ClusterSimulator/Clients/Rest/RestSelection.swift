import DataTree
import QueryEngine
import ReplicaCore

/// A query, and the parameters that say it over REST.
struct RestSelection {
    private(set) var query = Query()
    private(set) var parameters: [(String, String)] = []

    /// All children.
    init() {}

    /// Some order, mostly with a range, a limit or both.
    init(_ random: inout SplitMix64) {
        let order = random.index(below: RestSelection.orders.count)
        parameters = [("orderBy", "\"\(RestSelection.orders[order])\"")]
        do {
            query = try RestSelection.ordered(order)
            try drawRange(isByKey: order == 0, &random)
            try drawLimit(&random)
        } catch {
            preconditionFailure("a query that is drawn is valid: \(parameters): \(error)")
        }
    }

    private static let orders = ["$key", "$value", "$priority", "points", "a"]

    private static func ordered(_ order: Int) throws -> Query {
        switch order {
        case 0: try Query().orderedByKey()
        case 1: try Query().orderedByValue()
        case 2: try Query().orderedByPriority()
        default: try Query().ordered(byChild: orders[order])
        }
    }

    private mutating func drawRange(isByKey: Bool, _ random: inout SplitMix64) throws {
        let kind = random.index(below: 7)
        let bound = RestSelection.bound(isByKey: isByKey, &random)
        switch kind {
        case 0: (query, parameters) = (try query.starting(at: bound), adding("startAt", bound))
        case 1:
            (query, parameters) = (try query.starting(after: bound), adding("startAfter", bound))
        case 2: (query, parameters) = (try query.ending(at: bound), adding("endAt", bound))
        case 3: (query, parameters) = (try query.ending(before: bound), adding("endBefore", bound))
        case 4: (query, parameters) = (try query.equal(to: bound), adding("equalTo", bound))
        default: break
        }
    }

    private static func bound(isByKey: Bool, _ random: inout SplitMix64) -> Value {
        if isByKey { return .string(["a", "b", "7", "k2", "k4"][random.index(below: 5)]) }
        let bounds: [Value] = [
            .integer(Int64(random.number(below: 9))), .double(2.5), .string("c1"),
        ]
        return bounds[random.index(below: bounds.count)]
    }

    private func adding(_ name: String, _ bound: Value) -> [(String, String)] {
        parameters + [(name, RestText.json(bound))]
    }

    private mutating func drawLimit(_ random: inout SplitMix64) throws {
        let count = 1 + random.index(below: 3)
        switch random.index(below: 3) {
        case 0:
            query = try query.limited(toFirst: count)
            parameters.append(("limitToFirst", "\(count)"))
        case 1:
            query = try query.limited(toLast: count)
            parameters.append(("limitToLast", "\(count)"))
        default: break
        }
    }
}
