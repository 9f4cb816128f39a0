import DataTree
import QueryEngine

/// The views of one location, and those of the locations below.
struct SyncPoint: Sendable {
    /// In the order in which they were first listened to.
    var views: [SyncView] = []
    var children = SortedMap<SyncPoint>()

    var isEmpty: Bool { views.isEmpty && children.isEmpty }

    /// A view that shows all of the location: one listen for it serves all here and below.
    var completeView: SyncView? { views.first { !$0.query.isFiltered } }

    func place(of query: Query) -> Int? { views.firstIndex { $0.query == query } }

    /// The server's data of the location, or of a place below, that are complete.
    ///
    /// Views that serve others come first; a filtered query may get a change sooner or later.
    func serverValue(at path: Path = .root) -> Value? {
        // By places: a view is some hundred bytes, and this is asked in each change.
        if let place = views.firstIndex(where: { !$0.query.isFiltered }),
            let value = views[place].serverValue(at: path)
        {
            return value
        }
        for place in views.indices {
            if let value = views[place].serverValue(at: path) { return value }
        }
        return nil
    }

    subscript(path: Path) -> SyncPoint {
        var point = self
        for key in path.keys { point = point.children[key] ?? SyncPoint() }
        return point
    }

    /// Changes the point at a path; points that end up empty are dropped.
    mutating func mutate<R>(at path: ArraySlice<Key>, _ body: (inout SyncPoint) -> R) -> R {
        guard let key = path.first else { return body(&self) }
        return children.mutate(key) { child in
            var point = child.take() ?? SyncPoint()
            defer { child = point.isEmpty ? nil : point }
            return point.mutate(at: path.dropFirst(), body)
        }
    }
}

// MARK: - Operations

extension SyncPoint {
    /// Applies an operation here and below, and adds the events: from below to above.
    ///
    /// - Parameter path: Where this is in the tree.
    mutating func apply(
        _ operation: SyncOperation, at path: Path, over overlay: PendingOverlay, complete: Value?,
        _ outputs: inout [SyncOutput]
    ) {
        let complete = operation.restsOnServedData ? complete ?? serverValue() : nil
        for key in keys(concernedBy: operation) {
            guard let below = operation.below(key) else { continue }
            children.mutate(key) { child in
                child?.apply(
                    below, at: path.appending(key), over: overlay[key],
                    complete: complete.map { $0[key] }, &outputs)
            }
        }
        for place in views.indices {
            let events = views[place].apply(operation, over: overlay, complete: complete)
            if events.isEmpty { continue }
            outputs.append(
                .observed(
                    SyncEvents(
                        path: path, query: views[place].query, listens: views[place].listens,
                        events: events)))
        }
    }

    private func keys(concernedBy operation: SyncOperation) -> [Key] {
        if let key = operation.path.keys.first { return children[key] == nil ? [] : [key] }
        return Array(children.keys)
    }
}

// MARK: - Which views need a listen

extension SyncPoint {
    /// The listens that serve all here and below, if nothing above does.
    func neededListens(at path: Path) -> [ServerListen] {
        if let view = completeView { return [view.listen(at: path)] }
        return views.map { $0.listen(at: path) }
            + children.flatMap { $0.value.neededListens(at: path.appending($0.key)) }
    }
}

extension SyncView {
    /// The listen at the server for this view.
    func listen(at path: Path) -> ServerListen {
        ServerListen(
            path: path, query: query.isFiltered ? query : Query(), tag: tag, known: server.value)
    }
}
