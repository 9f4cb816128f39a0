public import DataTree
public import QueryEngine

// Reads that need no server.

extension SyncTree {
    /// The known data of a location with the writes over them, also those that listeners do not see yet; nil if the
    /// data are not complete.
    ///
    /// - Parameter id: The first write that does not count, nor do later ones.
    public func value(at path: Path, before id: WriteID? = nil) -> Value? {
        writes.overlay(before: id)[path].completed(over: serverValue(at: path))
    }

    /// The servers' data of a location, if they are complete.
    func serverValue(at path: Path) -> Value? {
        servedValue(at: path)
            ?? points(to: path).lazy.compactMap { $0.point.serverValue(at: $0.below) }.first
    }

    /// The points that exist on the way to a location, from the root on, each with the rest of the path.
    func points(to path: Path) -> [(point: SyncPoint, below: Path)] {
        var points = [(point: root, below: path)]
        for (depth, key) in path.keys.enumerated() {
            guard let child = points[depth].point.children[key] else { break }
            points.append((child, Path(Array(path.keys[(depth + 1)...]))))
        }
        return points
    }

    /// The value that listeners to a query see now; nil unless a listen holds all of it.
    ///
    /// - Complexity: O(n log n) in the children, if only a wider listen holds them.
    public func shownValue(at path: Path, to query: Query) -> Value? {
        if let place = root[path].place(of: query), let shown = root[path].views[place].shown {
            return shown
        }
        guard let told = servedValue(at: path) else { return nil }
        let all = writes.overlay[path].applied(to: told)
        return query.isFiltered ? query.window(of: all) : all
    }

    /// The server's data for a listen, once they are complete: the data that need not be sent again.
    public func heldValue(for listen: ServerListen) -> Value? {
        let point = root[listen.path]
        guard let tag = listen.tag else { return point.completeView?.server.completeValue }
        return point.views.first { $0.tag == tag }?.server.completeValue
    }

    /// The location's data from a listen to everything there or above.
    private func servedValue(at path: Path) -> Value? {
        points(to: path).lazy.compactMap { $0.point.completeView?.serverValue(at: $0.below) }.first
    }
}
