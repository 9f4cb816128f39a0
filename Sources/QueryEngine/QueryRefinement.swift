public import DataTree

// How a query is refined, step by step; invalid refinements fail with the messages of Firebase's clients.
// Source: `firebase-semantics.md`, section 4.2.

extension Query {
    /// Orders by key. - Throws: `DataError` if there is an order, or a bound is no key.
    public consuming func orderedByKey() throws(DataError) -> Query {
        try order(by: .key, "orderByKey")
        return self
    }

    /// Orders by the children's own values. - Throws: `DataError` if there is an order.
    public consuming func orderedByValue() throws(DataError) -> Query {
        try order(by: .value, "orderByValue")
        return self
    }

    /// Orders by priority. - Throws: `DataError` if there is an order, or a bound is no priority.
    public consuming func orderedByPriority() throws(DataError) -> Query {
        try order(by: .priority, "orderByPriority")
        return self
    }

    /// Orders by the value at a path below each child, as `points` or `metrics/views`.
    ///
    /// - Throws: `DataError` if there is an order, or for an invalid path.
    public consuming func ordered(byChild path: String) throws(DataError) -> Query {
        if let instead = Query.insteadOfChild[path] {
            throw QueryError.reserved(path, instead).error
        }
        let path = try Path(path)
        if path.isRoot { throw QueryError.emptyPath.error }
        if path.last == .priority {
            throw QueryError.reserved(".priority", "orderByPriority").error
        }
        try order(by: .child(path), "orderByChild")
        return self
    }

    /// Begins with the children at a value, or, among those, at a key.
    ///
    /// - Throws: `DataError` if there is a start, or the order allows no such bound.
    public consuming func starting(
        at value: Value, key: String? = nil
    ) throws(DataError) -> Query {
        try start(Bound(value, try Bound.Key(key, in: "startAt"), isInclusive: true), "startAt")
        return self
    }

    /// Begins behind the children at a value, or, among those, behind a key.
    ///
    /// - Throws: `DataError` if there is a start, or the order allows no such bound.
    public consuming func starting(
        after value: Value, key: String? = nil
    ) throws(DataError) -> Query {
        let key = try Bound.Key(key, in: "startAfter") ?? (order == .key ? nil : .greatest)
        try start(Bound(value, key, isInclusive: false), "startAfter")
        return self
    }

    /// Ends with the children at a value, or, among those, at a key.
    ///
    /// - Throws: `DataError` if there is an end, or the order allows no such bound.
    public consuming func ending(
        at value: Value, key: String? = nil
    ) throws(DataError) -> Query {
        try end(Bound(value, try Bound.Key(key, in: "endAt"), isInclusive: true), "endAt")
        return self
    }

    /// Ends before the children at a value, or, among those, before a key.
    ///
    /// - Throws: `DataError` if there is an end, or the order allows no such bound.
    public consuming func ending(
        before value: Value, key: String? = nil
    ) throws(DataError) -> Query {
        let key = try Bound.Key(key, in: "endBefore") ?? (order == .key ? nil : .least)
        try end(Bound(value, key, isInclusive: false), "endBefore")
        return self
    }

    /// Shows only the children at a value, or, among those, the one with a key.
    ///
    /// - Throws: `DataError` if there is a start or an end, or the order allows no such bound.
    public consuming func equal(to value: Value, key: String? = nil) throws(DataError) -> Query {
        if start != nil { throw QueryError.startIsSetForEqual.error }
        if end != nil { throw QueryError.endIsSetForEqual.error }
        return try starting(at: value, key: key).ending(at: value, key: key)
    }

    /// Shows at most the first `count` children of the range.
    ///
    /// - Throws: `DataError` if there is a limit, or this one is not positive.
    public consuming func limited(toFirst count: Int) throws(DataError) -> Query {
        try limit(to: Limit(count: count, isFirst: true), "limitToFirst")
        return self
    }

    /// Shows at most the last `count` children of the range, still in ascending order.
    ///
    /// - Throws: `DataError` if there is a limit, or this one is not positive.
    public consuming func limited(toLast count: Int) throws(DataError) -> Query {
        try limit(to: Limit(count: count, isFirst: false), "limitToLast")
        return self
    }
}

// MARK: - Steps and checks

extension Query {
    private static let insteadOfChild = [
        "$key": "orderByKey", "$value": "orderByValue", "$priority": "orderByPriority",
        ".key": "orderByKey", ".value": "orderByValue", ".priority": "orderByPriority",
    ]

    private mutating func order(by order: ChildOrder, _ function: String) throws(DataError) {
        if isOrdered { throw QueryError.orderIsSet(function).error }
        self.order = order
        isOrdered = true
        try validateBounds()
    }

    // The bound is judged before the fact that there is one already, as Firebase does.

    private mutating func start(_ bound: Bound, _ function: String) throws(DataError) {
        let previous = start
        start = bound
        try validateBounds()
        if previous != nil { throw QueryError.startIsSet(function).error }
    }

    private mutating func end(_ bound: Bound, _ function: String) throws(DataError) {
        let previous = end
        end = bound
        try validateBounds()
        if previous != nil { throw QueryError.endIsSet(function).error }
    }

    private mutating func limit(to limit: Limit, _ function: String) throws(DataError) {
        if limit.count <= 0 { throw QueryError.limitIsNotPositive(function).error }
        if self.limit != nil { throw QueryError.limitIsSet(function).error }
        self.limit = limit
    }

    /// Checks that the order can compare children with the bounds.
    func validateBounds() throws(DataError) {
        try validate(start, impliedKey: .least)
        try validate(end, impliedKey: .greatest)
    }

    private func validate(_ bound: Bound?, impliedKey: Bound.Key) throws(DataError) {
        guard let bound else { return }
        switch (order, bound.value) {
        case (.key, _) where bound.key != nil && bound.key != impliedKey:
            throw QueryError.keyOrderWithKey.error
        case (.key, .string), (.priority, .null), (.priority, .integer), (.priority, .double),
            (.priority, .string):
            break
        case (.key, _): throw QueryError.keyOrderWithoutString.error
        case (.priority, _): throw QueryError.boundIsNoPriority.error
        case (_, .object), (_, .deferred), (_, .prioritized): throw QueryError.boundIsObject.error
        case (_, _): break
        }
        try bound.value.validate(at: .root)
    }
}

extension Query.Bound.Key {
    /// Takes a key that a caller gave to a function, if any.
    fileprivate init?(_ text: String?, in function: String) throws(DataError) {
        guard let text else { return nil }
        guard (try? DataTree.Key(text)) != nil else {
            throw QueryError.invalidKey(function, text).error
        }
        self = .key(DataTree.Key(unchecked: text))
    }

    /// Takes a key as it travels, which may be one of Firebase's sentinels.
    init(_ text: String) {
        switch text {
        case "[MIN_NAME]": self = .least
        case "[MAX_NAME]": self = .greatest
        default: self = .key(DataTree.Key(unchecked: text))
        }
    }
}
