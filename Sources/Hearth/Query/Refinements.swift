internal import DataTree
internal import QueryEngine

// How a query is refined; each use of an invalid refinement fails. Source: `firebase-semantics.md`, section 4.2.

// MARK: - Orders

extension DatabaseQuery {
    /// Orders by key: numbers first, then strings.
    public func queryOrderedByKey() -> DatabaseQuery {
        refined { query throws(DataError) in try query.orderedByKey() }
    }

    /// Orders by the children's own values.
    public func queryOrderedByValue() -> DatabaseQuery {
        refined { query throws(DataError) in try query.orderedByValue() }
    }

    /// Orders by priority, which is also the order if none is asked for.
    public func queryOrderedByPriority() -> DatabaseQuery {
        refined { query throws(DataError) in try query.orderedByPriority() }
    }

    /// Orders by what is at a path below each child, such as `starCount` or `metrics/views`.
    public func queryOrdered(byChild path: String) -> DatabaseQuery {
        refined { query throws(DataError) in try query.ordered(byChild: path) }
    }
}

// MARK: - Limits

extension DatabaseQuery {
    /// Shows at most so many children, the first ones of the range.
    public func queryLimited(toFirst limit: UInt) -> DatabaseQuery {
        refined { query throws(DataError) in try query.limited(toFirst: Int(clamping: limit)) }
    }

    /// Shows at most so many children, the last ones of the range, still in ascending order.
    public func queryLimited(toLast limit: UInt) -> DatabaseQuery {
        refined { query throws(DataError) in try query.limited(toLast: Int(clamping: limit)) }
    }
}

// MARK: - Ranges

extension DatabaseQuery {
    /// Begins at a value of the order, or, among the children with this value, at a key.
    public func queryStarting(atValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
        refined { query throws(DataError) in
            try query.starting(at: try Value(plain: value), key: childKey)
        }
    }

    /// Begins behind a value of the order, or, among the children with this value, behind a key.
    public func queryStarting(afterValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
        refined { query throws(DataError) in
            try query.starting(after: try Value(plain: value), key: childKey)
        }
    }

    /// Ends at a value of the order, or, among the children with this value, at a key.
    public func queryEnding(atValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
        refined { query throws(DataError) in
            try query.ending(at: try Value(plain: value), key: childKey)
        }
    }

    /// Ends before a value of the order, or, among the children with this value, before a key.
    public func queryEnding(beforeValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
        refined { query throws(DataError) in
            try query.ending(before: try Value(plain: value), key: childKey)
        }
    }

    /// Shows only the children with a value of the order, or, among them, the one with a key.
    public func queryEqual(toValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
        refined { query throws(DataError) in
            try query.equal(to: try Value(plain: value), key: childKey)
        }
    }
}

extension DatabaseQuery {
    private func refined(_ refine: (Query) throws(DataError) -> Query) -> DatabaseQuery {
        do throws(DataError) {
            return DatabaseQuery(database, path, try refine(query), misuse: misuse)
        } catch {
            return DatabaseQuery(database, path, query, misuse: misuse ?? .misuse(error))
        }
    }
}
