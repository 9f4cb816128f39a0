public import DataTree

// So that `setValue(["title": "Lobby", "seats": 12])` writes what it says.

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Null, which removes what is at a location.
    public init(nilLiteral: ()) { self = .null }
    /// A Boolean primitive.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// A number without a fraction.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = Number.double(value).value }
    /// A string primitive.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A list: an object with the keys 0, 1, 2, …, without the elements that are null.
    public init(arrayLiteral elements: Value...) {
        self = .object(named: elements.enumerated().map { (String($0.offset), $0.element) })
    }

    /// The keys must be allowed in the tree, which literals are written to be; the node checks them.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .object(named: elements)
    }
}
