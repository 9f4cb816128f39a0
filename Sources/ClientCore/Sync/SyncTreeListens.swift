public import DataTree
public import QueryEngine

// The listeners, and the listens at the server that they need. A listen to everything at a location makes all
// others there and below unnecessary.

extension SyncTree {
    /// Adds a listener and returns its events for the data that are known already.
    ///
    /// The identifier is new; equal queries at one location share one view.
    public mutating func listen(_ id: ListenID, at path: Path, to query: Query) -> [SyncOutput] {
        precondition(places[id] == nil, "listen \(id.number) exists already")
        places[id] = Place(path: path, query: query)
        let isServed = isServed(at: path)
        let isNew = root[path].place(of: query) == nil
        let view = isNew ? makeView(of: query, at: path) : nil
        let (events, point) = root.mutate(at: path.keys[...]) { point in
            if let view { point.views.append(view) }
            let place = point.place(of: query) ?? point.views.endIndex - 1
            point.views[place].listens.append(id)
            return (point.views[place].initialEvents(), point)
        }
        var outputs: [SyncOutput] = []
        if let view, !isServed {
            outputs.append(.start(view.listen(at: path)))
            if view.tag == nil { outputs += point.listensServed(at: path, by: view.query) }
        }
        let observed = SyncEvents(path: path, query: query, listens: [id], events: events)
        return events.isEmpty ? outputs : outputs + [.observed(observed)]
    }

    /// Removes a listener; does nothing if there is no such listener.
    public mutating func unlisten(_ id: ListenID) -> [SyncOutput] {
        guard let place = places.removeValue(forKey: id) else { return [] }
        let removed: SyncView? = root.mutate(at: place.path.keys[...]) { point in
            guard let view = point.place(of: place.query) else { return nil }
            point.views[view].listens.removeAll { $0 == id }
            return point.views[view].listens.isEmpty ? point.views.remove(at: view) : nil
        }
        return removed.map { stopServing($0, at: place.path) } ?? []
    }

    /// Removes all listeners of a listen that the server has ended, and returns them.
    ///
    /// The outputs include the listens that are needed in its place.
    public mutating func end(
        _ listen: ServerListen
    ) -> (listens: [ListenID], outputs: [SyncOutput]) {
        let path = listen.path
        let ended: [SyncView] = root.mutate(at: path.keys[...]) { point in
            let isEnded = { (view: SyncView) in
                listen.tag == nil ? !view.query.isFiltered : view.tag == listen.tag
            }
            defer { point.views.removeAll(where: isEnded) }
            return point.views.filter(isEnded)
        }
        let ids = ended.flatMap(\.listens)
        for id in ids { places[id] = nil }
        var outputs = ended.last.map { stopServing($0, at: path) } ?? []
        outputs.removeAll { if case .stop = $0 { true } else { false } }
        return (ids.sorted(), outputs)
    }

    /// All listens that the server has to serve, for a new connection.
    public var serverListens: [ServerListen] { root.neededListens(at: .root) }
}

// MARK: - Serving

extension SyncTree {
    /// Whether a listen to everything is at a path or above it.
    private func isServed(at path: Path) -> Bool {
        points(to: path).contains { $0.point.completeView != nil }
    }

    private mutating func makeView(of query: Query, at path: Path) -> SyncView {
        var tag: Tag?
        if query.isFiltered {
            let new = Tag(number: nextTag)
            nextTag += 1
            tags[new] = Place(path: path, query: query)
            tag = new
        }
        let server = serverValue(at: path).map { ServerCache($0, isComplete: true) }
        return SyncView(
            of: query, tag: tag, server ?? knownChildren(at: path), over: writes.overlay[path])
    }

    /// The data that listens to children hold.
    private func knownChildren(at path: Path) -> ServerCache {
        var children = Children()
        for (key, point) in root[path].children {
            if let value = point.serverValue(), !value.isNull { children[key] = value }
        }
        return ServerCache(Value(children), isComplete: false)
    }

    /// Begins the listens that a removed view has made unnecessary, and ends those that only it needed.
    private mutating func stopServing(_ view: SyncView, at path: Path) -> [SyncOutput] {
        if let tag = view.tag { tags[tag] = nil }
        if isServed(at: path) { return [] }
        let needed = view.tag == nil ? root[path].neededListens(at: path) : []
        return needed.map { .start($0) } + [.stop(view.listen(at: path))]
    }
}

extension SyncPoint {
    /// The listens that one to everything here makes unnecessary.
    fileprivate func listensServed(at path: Path, by query: Query) -> [SyncOutput] {
        let others = views.filter { $0.query != query }.map { $0.listen(at: path) }
        let below = children.flatMap { $0.value.neededListens(at: path.appending($0.key)) }
        return (others + below).map { .stop($0) }
    }
}
