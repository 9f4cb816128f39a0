extension Children {
    /// The length of the array as which these children are rendered, or nil if as an object.
    ///
    /// They are an array if all keys are plain numbers (no sign, no leading zero), and more than
    /// half of the numbers up to the greatest key are used. Holes are null. Source:
    /// `firebase-semantics.md`, rule W10.
    ///
    /// - Complexity: O(log n) for most objects, O(n) for an array.
    public var arrayLength: Int? {
        // Integer keys sort first, by number, so the two ends tell whether all are in range.
        guard let first = first?.key.integer, first >= 0, let last = last?.key.integer,
            Int(last) < 2 * count, keys.allSatisfy(\.isPlainNumber)
        else { return nil }
        return Int(last) + 1
    }
}

extension Key {
    /// Whether the key is written as its number is: `7`, and not `07` or `-0`.
    fileprivate var isPlainNumber: Bool {
        guard let integer, integer >= 0 else { return false }
        var digits = 1
        var rest = integer
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        return utf8Count == digits
    }
}
