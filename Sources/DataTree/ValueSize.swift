// Whether a value is large, without going through all of it.

extension Value {
    /// Whether this value has more than about `count` locations, packed children counted as one.
    ///
    /// - Complexity: O(`count`).
    package func hasMoreLocations(than count: Int) -> Bool {
        guard case .object(let children) = content, !children.isPacked else { return false }
        var rest = count
        return children.exhaust(&rest)
    }
}

extension Children {
    /// Subtracts the locations below from `rest`; returns whether that makes it negative.
    fileprivate func exhaust(_ rest: inout Int) -> Bool {
        if isPacked { return false }
        rest -= count
        if rest < 0 { return true }
        return contains { _, child in
            if case .object(let children) = child.content { children.exhaust(&rest) } else { false }
        }
    }
}
