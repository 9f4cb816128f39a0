extension Value: CustomStringConvertible {
    /// Export form on one line, for messages and test failures (not for programs: see `JSONText`).
    public var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .object(let children):
            "{" + children.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        case .prioritized(let value): "\(value.content)^\(value.priority)"
        case .deferred(.timestamp): "now"
        case .deferred(.increment(let delta)): "+\(delta.value)"
        }
    }
}
