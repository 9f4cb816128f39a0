import DataTree

extension Path: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self = Universe.path(text) }
}

extension Value: ExpressibleByBooleanLiteral {
    init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}
