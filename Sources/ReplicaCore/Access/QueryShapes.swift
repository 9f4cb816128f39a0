import DataTree
import QueryEngine
import Rules

extension RuleSituation {
    /// A read of what a query shows, at this moment.
    init(reading query: Query, by user: Claim, seeing replica: ReplicationView) {
        self.init(
            auth: user, now: Double(replica.now.wallMilliseconds), data: replica.tree,
            query: QueryShape(query))
    }
}

extension QueryShape {
    /// Creates the shape of a query that rules see.
    init(_ query: Query) {
        self.init()
        orderByPriority = query.order == .priority
        switch query.order {
        case .priority: break
        case .key: orderByKey = true
        case .value: orderByValue = true
        case .child(let path): orderByChild = path.keys.map(\.text).joined(separator: "/")
        }
        if let start = query.start, start == query.end, start.isInclusive {
            equalTo = Claim(bound: start.value)
        } else {
            startAt = query.start.map { Claim(bound: $0.value) } ?? .null
            endAt = query.end.map { Claim(bound: $0.value) } ?? .null
        }
        if let limit = query.limit {
            if limit.isFirst { limitToFirst = limit.count } else { limitToLast = limit.count }
        }
    }
}

extension Claim {
    /// The value of a bound; null for one that is no string, number or boolean.
    fileprivate init(bound value: Value) {
        switch value.content {
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .number(Double(number))
        case .double(let number): self = .number(number)
        case .string(let text): self = .string(text)
        default: self = .null
        }
    }
}
