/// The query of a read, as rules see it in `query`.
public struct QueryShape: Equatable, Sendable {
    /// Whether the children are ordered by their keys, because the read says so.
    public var orderByKey = false
    /// Whether they are ordered by their priorities, as they are if the read names no order.
    public var orderByPriority = true
    /// Whether they are ordered by their values.
    public var orderByValue = false
    /// The path below each child by which they are ordered.
    public var orderByChild: String?
    /// The bounds: a string, a number or a boolean, or null without one.
    public var startAt = Claim.null
    /// The bound at the end.
    public var endAt = Claim.null
    /// The one value that is shown.
    public var equalTo = Claim.null
    /// How many of the first children are shown.
    public var limitToFirst: Int?
    /// How many of the last children are shown.
    public var limitToLast: Int?

    /// A read of all children, by the order of their priorities.
    public init() {}

    subscript(property: QueryProperty) -> RuleValue {
        switch property {
        case .orderByKey: .boolean(orderByKey)
        case .orderByPriority: .boolean(orderByPriority)
        case .orderByValue: .boolean(orderByValue)
        case .orderByChild: orderByChild.map(RuleValue.string) ?? .null
        case .startAt: RuleValue(startAt)
        case .endAt: RuleValue(endAt)
        case .equalTo: RuleValue(equalTo)
        case .limitToFirst: limitToFirst.map { .number(Double($0)) } ?? .null
        case .limitToLast: limitToLast.map { .number(Double($0)) } ?? .null
        }
    }
}
