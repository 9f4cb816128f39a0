public import DataTree
public import QueryEngine

// What is known without asking a server.

extension SyncTree {
    /// What is known of a location with the writes over it, those that listeners do not see yet
    /// included; nil if that is not all that there is.
    ///
    /// - Parameter id: The first write that does not count, nor do later ones.
    public func value(at path: Path, before id: WriteID? = nil) -> Value? {
        writes.overlay(before: id)[path].completed(over: serverValue(at: path))
    }

    /// What servers told of a location, if that is all that there is.
    func serverValue(at path: Path) -> Value? {
        var point = root
        var partial: Value?
        for depth in 0...path.count {
            let below = Path(Array(path.keys[depth...]))
            if let value = point.completeView?.serverValue(at: below) { return value }
            partial = partial ?? point.serverValue(at: below)
            guard depth < path.count, let child = point.children[path.keys[depth]] else { break }
            point = child
        }
        return partial
    }

    /// What listeners to a query see now; nil unless some listen tells all of it.
    ///
    /// - Complexity: O(n log n) in the children, if only a wider listen tells of them.
    public func shownValue(at path: Path, to query: Query) -> Value? {
        if let place = root[path].place(of: query), let shown = root[path].views[place].shown {
            return shown
        }
        guard let told = servedValue(at: path) else { return nil }
        let all = writes.overlay[path].applied(to: told)
        return query.isFiltered ? query.window(of: all) : all
    }

    /// What the server told for a listen, once that is complete: what it need not send again.
    public func heldValue(for listen: ServerListen) -> Value? {
        let point = root[listen.path]
        guard let tag = listen.tag else { return point.completeView?.server.completeValue }
        return point.views.first { $0.tag == tag }?.server.completeValue
    }

    /// What a listen to everything at a location or above it has told of the location.
    private func servedValue(at path: Path) -> Value? {
        var point = root
        for depth in 0...path.count {
            let below = Path(Array(path.keys[depth...]))
            if let value = point.completeView?.serverValue(at: below) { return value }
            guard depth < path.count, let child = point.children[path.keys[depth]] else { break }
            point = child
        }
        return nil
    }
}
