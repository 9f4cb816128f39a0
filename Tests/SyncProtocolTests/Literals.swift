import DataTree

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int64) { self = .integer(number) }
}

extension Value: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral members: (String, Value)...) {
        var children = Children()
        for (name, value) in members { children[DataTree.Key(unchecked: name)] = value }
        self.init(children)
    }
}
