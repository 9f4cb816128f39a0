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
    private var places: [Shared?] = []
    /// Never iterated, only looked up.
    private var placeOfQuery: [Query: Int] = [:]

    var count: Int { placeOfQuery.count }

    /// The view of a query, which `make` makes unless other listeners have it already; counts one more listener.
    ///
    /// - Complexity: O(1), besides `make`.
    mutating func add(_ query: Query, _ make: () -> View) -> View {
        if let place = placeOfQuery[query] {
            places[place]!.listeners += 1
            return places[place]!.view
        }
        let view = make()
        placeOfQuery[query] = places.count
        places.append(Shared(view: view))
        return view
    }

    /// Removes one listener; the last one of a query takes the view with it.
    ///
    /// - Complexity: O(1) amortised.
    mutating func remove(_ query: Query) {
        guard let place = placeOfQuery[query] else {
            preconditionFailure("nobody listens to \(query)")
        }
        places[place]!.listeners -= 1
        guard places[place]!.listeners == 0 else { return }
        places[place] = nil
        placeOfQuery[query] = nil
        if places.count > 2 * count { closeGaps() }
    }

    /// Passes each view to `body`, which may change it.
    mutating func changeEach(_ body: (inout View) -> Void) {
        for place in places.indices where places[place] != nil { body(&places[place]!.view) }
    }

    private mutating func closeGaps() {
        places.removeAll { $0 == nil }
        for (place, shared) in places.enumerated() { placeOfQuery[shared!.view.query] = place }
    }
}
