/// The views of all queries by one order, in the order in which they were first requested.
///
/// A list may have a view for each of many thousand listeners, as when each begins at a time of its own. So a view is found by
/// its query, and removing one moves no other.
struct ViewList: Sendable {
    private struct Shared: Sendable {
        var view: View
        var listeners = 1
    }

    /// Nil where a view was removed.
    private var positions: [Shared?] = []
    /// Never iterated, only looked up.
    private var positionOfQuery: [Query: Int] = [:]

    var count: Int { positionOfQuery.count }

    /// The view of a query, which `make` makes unless other listeners have it already; counts one more listener.
    ///
    /// - Complexity: O(1), besides `make`.
    mutating func add(_ query: Query, _ make: () -> View) -> View {
        if let position = positionOfQuery[query] {
            positions[position]!.listeners += 1
            return positions[position]!.view
        }
        let view = make()
        positionOfQuery[query] = positions.count
        positions.append(Shared(view: view))
        return view
    }

    /// Removes one listener; the last one of a query takes the view with it.
    ///
    /// - Complexity: O(1) amortised.
    mutating func remove(_ query: Query) {
        guard let position = positionOfQuery[query] else {
            preconditionFailure("nobody listens to \(query)")
        }
        positions[position]!.listeners -= 1
        guard positions[position]!.listeners == 0 else { return }
        positions[position] = nil
        positionOfQuery[query] = nil
        if positions.count > 2 * count { closeGaps() }
    }

    /// Passes each view to `body`, which may change it.
    mutating func changeEach(_ body: (inout View) -> Void) {
        for position in positions.indices where positions[position] != nil {
            body(&positions[position]!.view)
        }
    }

    private mutating func closeGaps() {
        positions.removeAll { $0 == nil }
        for (position, shared) in positions.enumerated() {
            positionOfQuery[shared!.view.query] = position
        }
    }
}
