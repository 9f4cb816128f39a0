// The standard library's own draws may change between its versions; these give the same rules for a seed for ever.

extension RandomNumberGenerator {
    /// A number below `count`, which is positive.
    mutating func index(_ count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    /// One element of several.
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[index(elements.count)]
    }
}
