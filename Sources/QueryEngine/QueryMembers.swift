public import DataTree

/// A query as it travels: the members that Firebase's clients send, by their names there.
///
/// `QueryMembers(query)` and `Query(members)` are each other's inverse for queries; members that
/// older clients send read as the query that they mean. A member that is nil is left out.
public struct QueryMembers: Equatable, Sendable {
    /// `i`: `.key`, `.value`, `.priority` (the default, left out), or a path.
    public var index: String?
    /// `sp`: the value at which the range begins, null included.
    public var startValue: Value?
    /// `sn`: the key at which it begins; `[MIN_NAME]` and `[MAX_NAME]` stand for the ends.
    public var startKey: String?
    /// `sin`: whether children at the start belong to the range; they do if it is left out.
    public var startIsInclusive: Bool?
    /// `ep`: the value at which the range ends, null included.
    public var endValue: Value?
    /// `en`: the key at which it ends.
    public var endKey: String?
    /// `ein`: whether children at the end belong to the range; they do if it is left out.
    public var endIsInclusive: Bool?
    /// `l`: how many children are shown at most.
    public var limit: Int?
    /// `vf`: `l` for the first children, `r` for the last ones; without it, the first ones if there
    /// is a start, else the last ones.
    public var viewFrom: String?

    package init() {}

    package init(_ query: Query) {
        index = query.order == .priority ? nil : query.order.name
        startValue = query.start?.value
        startKey = query.start?.key?.text
        startIsInclusive = query.start?.isInclusive
        endValue = query.end?.value
        endKey = query.end?.key?.text
        endIsInclusive = query.end?.isInclusive
        limit = query.limit?.count
        viewFrom = query.limit.map { $0.isFirst ? "l" : "r" }
    }
}

extension Query {
    /// Reads a query that came from outside.
    ///
    /// - Throws: `DataError` for members that are no query.
    public init(_ members: QueryMembers) throws(DataError) {
        order = try ChildOrder(members.index)
        start = try Bound(
            members.startValue, members.startKey, members.startIsInclusive, "sn without sp")
        end = try Bound(members.endValue, members.endKey, members.endIsInclusive, "en without ep")
        limit = try Limit(members, hasStart: start != nil)
        try validateBounds()
    }
}

extension ChildOrder {
    fileprivate init(_ index: String?) throws(DataError) {
        switch index {
        case nil, ".priority": self = .priority
        case ".key": self = .key
        case ".value": self = .value
        case .some(let text):
            let path = try Path(text)
            if path.isRoot || path.last == .priority {
                throw QueryError.invalidMember("i", "is \"\(text)\", which is no child").error
            }
            self = .child(path)
        }
    }
}

extension Query.Bound {
    fileprivate convenience init?(
        _ value: Value?, _ key: String?, _ isInclusive: Bool?, _ failure: String
    ) throws(DataError) {
        guard let value else {
            if key == nil, isInclusive == nil { return nil }
            throw QueryError.invalidMember(failure, "is no bound").error
        }
        self.init(value, key.map(Key.init), isInclusive: isInclusive ?? true)
    }
}

extension Query.Bound.Key {
    fileprivate var text: String {
        switch self {
        case .least: "[MIN_NAME]"
        case .key(let key): key.text
        case .greatest: "[MAX_NAME]"
        }
    }
}

extension Query.Limit {
    fileprivate init?(_ members: QueryMembers, hasStart: Bool) throws(DataError) {
        guard let count = members.limit else { return nil }
        if count <= 0 { throw QueryError.invalidMember("l", "is \(count), not positive").error }
        switch members.viewFrom {
        case nil: self.init(count: count, isFirst: hasStart)
        case "l": self.init(count: count, isFirst: true)
        case "r": self.init(count: count, isFirst: false)
        case .some(let other):
            throw QueryError.invalidMember("vf", "is \"\(other)\", neither l nor r").error
        }
    }
}
