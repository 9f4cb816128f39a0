internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import QueryEngine

/// The options for a query over the children at a path: an order, a range, a limit.
enum QueryOptions {
    private static let order = Option(
        "order-by", "ORDER",
        "key, value, priority, or child:PATH, such as child:metrics/views; priority by "
            + "default.")
    private static let first = Option("limit-to-first", "N", "Only the first N of the range.")
    private static let last = Option("limit-to-last", "N", "Only the last N of the range.")
    private static let startAt = bound("start-at", "Begin at this value of the order")
    private static let startAfter = bound("start-after", "Begin behind this value")
    private static let endAt = bound("end-at", "End at this value")
    private static let endBefore = bound("end-before", "End before this value")
    private static let equalTo = bound("equal-to", "Only children with this value")

    static let all = [order, first, last, startAt, startAfter, endAt, endBefore, equalTo]

    /// The query that the options ask for.
    ///
    /// - Throws: a usage error, in Firebase's words for an impossible query.
    static func query(of invocation: Invocation) throws(CommandError) -> Query {
        var query = Query()
        let limits = (
            first: try invocation.integer(first, in: 1...Int(Int32.max)),
            last: try invocation.integer(last, in: 1...Int(Int32.max))
        )
        let bounds = try bounds(of: invocation)
        do throws(DataError) {
            query = try ordered(query, by: invocation[order])
            for bound in bounds { query = try bound.refine(query) }
            if let count = limits.first { query = try query.limited(toFirst: count) }
            if let count = limits.last { query = try query.limited(toLast: count) }
        } catch {
            throw invocation.usageError(error.problem, fix: error.fix)
        }
        return query
    }

    private static func ordered(_ query: Query, by order: String?) throws(DataError) -> Query {
        switch order {
        case nil: return query
        case "key": return try query.orderedByKey()
        case "value": return try query.orderedByValue()
        case "priority": return try query.orderedByPriority()
        case .some(let text) where text.hasPrefix("child:"):
            return try query.ordered(byChild: String(text.dropFirst("child:".count)))
        case .some(let text):
            throw DataError(
                problem: "--order-by \(text): no such order",
                fix: "give key, value, priority, or child:PATH")
        }
    }
}

// MARK: - Bounds

extension QueryOptions {
    /// One end of the range, as given.
    private struct Bound {
        let option: Option
        let value: Value
        let key: String?

        func refine(_ query: Query) throws(DataError) -> Query {
            switch option.name {
            case startAt.name: try query.starting(at: value, key: key)
            case startAfter.name: try query.starting(after: value, key: key)
            case endAt.name: try query.ending(at: value, key: key)
            case endBefore.name: try query.ending(before: value, key: key)
            default: try query.equal(to: value, key: key)
            }
        }
    }

    private static func bound(_ name: String, _ explanation: String) -> Option {
        Option(
            name, "JSON[,KEY]", explanation + ": JSON, such as 5 or '\"text\"', and maybe a key.")
    }

    private static func bounds(of invocation: Invocation) throws(CommandError) -> [Bound] {
        var bounds: [Bound] = []
        for option in [startAt, startAfter, endAt, endBefore, equalTo] {
            guard let text = invocation[option] else { continue }
            guard let (value, key) = parse(text) else {
                throw invocation.usageError(
                    "--\(option.name) \(text): not JSON",
                    fix: "put quotation marks around text: --\(option.name) '\"\(text)\"'")
            }
            bounds.append(Bound(option: option, value: value, key: key))
        }
        return bounds
    }

    /// A JSON value, and the key behind the first comma that ends one.
    private static func parse(_ text: String) -> (Value, key: String?)? {
        if let value = try? JSONReader().parse(text) { return (value, nil) }
        for comma in text.indices where text[comma] == "," {
            if let value = try? JSONReader().parse(String(text[..<comma])) {
                return (value, String(text[text.index(after: comma)...]))
            }
        }
        return nil
    }
}
