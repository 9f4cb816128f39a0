import DataTree
import QueryEngine

// How each operation changes the data of a view. The overlay holds the writes that are still pending.

extension SyncView {
    mutating func update(_ operation: SyncOperation, over overlay: PendingOverlay, complete: Value?)
    {
        let path = operation.path
        switch operation.action {
        case .write(let change):
            for (place, value) in change.values {
                write(value, at: path.appending(place), over: overlay, complete: complete)
            }
        case .tell(let change, let isForQuery):
            let isFiltering = isForQuery || server.isFiltered && !path.isRoot
            setServerData(change, at: path, isFiltering ? filter : nil, over: overlay)
        case .acknowledge(let change):
            for (place, _) in change.values { acknowledge(path.appending(place), over: overlay) }
        case .revert(let change): revert(change, at: path, over: overlay)
        case .confirm: confirm(at: path, over: overlay, complete: complete)
        }
    }

    private var filter: Query? { query.isFiltered ? query : nil }

    /// All that is known of a child with the writes over it; nil if it is known in part only.
    private func child(_ key: Key, over overlay: PendingOverlay, _ cache: ServerCache) -> Value? {
        overlay[key].completed(over: cache.isComplete(for: key) ? cache.value[key] : nil)
    }
}

// MARK: - The application's writes

extension SyncView {
    private mutating func write(
        _ value: Value, at path: Path, over overlay: PendingOverlay, complete: Value?
    ) {
        guard let key = path.keys.first else {
            replaceList(by: value)
            setListComplete(true)
            return
        }
        if path.count > 1, !isListed(key) {
            let cache = complete.map { ServerCache($0, isComplete: true) } ?? server
            setList(child(key, over: overlay, cache) ?? .null, at: Path([key]))
        } else {
            setList(value, at: path)
        }
    }

    /// The server's data at the written places show from now on.
    private mutating func acknowledge(_ path: Path, over overlay: PendingOverlay) {
        if path.isRoot, !server.isComplete {
            for key in server.value.children.keys { refresh(at: Path([key]), over: overlay) }
        } else if path.isRoot || server.isComplete(at: path) {
            refresh(at: path, over: overlay)
        }
    }

    private mutating func revert(
        _ change: SyncChange, at path: Path, over overlay: PendingOverlay
    ) {
        for (place, _) in change.values { revert(at: path.appending(place), over: overlay) }
        setListComplete(server.isComplete || overlay.isReplaced)
    }

    /// Shows the server's data at a place again, or what an earlier write that is still unanswered made of it.
    private mutating func revert(at path: Path, over overlay: PendingOverlay) {
        if let written = overlay.completed(over: nil) {
            replaceList(by: written)
        } else if server.isComplete, !server.isFiltered, !overlay[path].isReplaced {
            refresh(at: path, over: overlay)
        } else if server.value.isPrimitive, !query.isFiltered {
            // It shows again if the writes that are left only remove what is below it.
            replaceList(by: server.value(under: overlay))
        } else if let key = path.keys.first, key != .priority {
            setList(child(key, over: overlay, server) ?? .null, at: Path([key]))
        } else {
            replaceList(by: server.value(under: overlay))
        }
    }
}

// MARK: - The server's data

extension SyncView {
    private mutating func setServerData(
        _ change: SyncChange, at path: Path, _ filter: Query?, over overlay: PendingOverlay
    ) {
        guard let value = change.value else {
            return merge(change, at: path, filter, over: overlay)
        }
        if path.isRoot {
            server.replace(by: value, through: filter)
        } else if filter == nil, overlay.isEmpty, isListServed {
            return follow(value, at: path)
        } else if !server.set(value, at: path, through: filter) {
            return
        }
        refresh(at: path, over: overlay)
    }

    /// Whether the list is all of the server's data, in one memory with them, as before the application's first write.
    private var isListServed: Bool {
        server.isComplete && !server.isFiltered && list.isShared(with: server.value)
    }

    /// Takes the server's data at a place where the list is the server's data: it stays in one memory with them, so that
    /// only one tree is changed.
    private mutating func follow(_ value: Value, at path: Path) {
        guard let key = path.keys.first, key != .priority else {
            _ = server.set(value, at: path, through: nil)
            return replaceList(by: server.value)
        }
        if list[path] == value { return }
        _ = server.set(value, at: path, through: nil)
        followServer(at: key)
    }

    private mutating func merge(
        _ change: SyncChange, at path: Path, _ filter: Query?, over overlay: PendingOverlay
    ) {
        // Without anything known, a whole value is on its way.
        if server.value.isNull, !server.isComplete { return }
        var known = SyncChange()
        for (place, value) in change.values { known.write(value, at: path.appending(place)) }
        known = known.filter { key, child in server.isComplete(for: key) || child.value != nil }
        server.merge(known, through: filter)
        for (place, _) in known.values { refresh(at: place, over: overlay) }
    }

    /// Marks the data as complete.
    ///
    /// - Parameter complete: What a listen to everything here or above holds: a query that it serves from now on may have known a
    ///   part of it only.
    private mutating func confirm(
        at path: Path, over overlay: PendingOverlay, complete: Value?
    ) {
        if path.isRoot {
            if let complete {
                server.replace(by: complete, through: nil)
            } else {
                server.complete()
            }
        }
        refresh(at: path, over: overlay)
    }

    /// Shows the server's data at a path, unless a write hides them.
    private mutating func refresh(at path: Path, over overlay: PendingOverlay) {
        guard let key = path.keys.first else {
            if overlay.isReplaced { return }
            replaceList(by: server.value(under: overlay))
            return setListComplete(true)
        }
        if key == .priority || isListed(key) && (!server.isFiltered || server.isComplete(for: key))
        {
            updatePriorities(at: path, over: overlay)
        } else if overlay[path].isReplaced {
            return
        } else if let child = child(key, over: overlay, server) {
            setList(child, at: Path([key]))
        } else if isListed(key), server.isFiltered {
            // The query no longer shows the child, so a write below it is known in part only.
            setList(.null, at: Path([key]))
        }
    }

    /// Updates a place of the list from the server's data and the writes, where both are completely known.
    ///
    /// - Complexity: O(log n), besides what is written at and below the path; the same for an object
    ///   above it that has a priority and may have been empty in between.
    private mutating func updatePriorities(at path: Path, over overlay: PendingOverlay) {
        // The location itself is not known if only a filtered query, or a part, is.
        let top = query.isFiltered || !server.isComplete ? 1 : 0
        var (written, told) = (overlay, server.value)
        var priorities: [(place: Path, value: Value)] = []
        for (depth, key) in path.keys.enumerated() {
            let place = Path(Array(path.keys[..<depth]))
            if written.isReplaced { return updatePriorities(priorities) }
            if depth >= top {
                if told.isPrimitive || written.isOrderFelt(over: told) {
                    setList(written.applied(to: told), at: place)
                    return updatePriorities(priorities)
                }
                priorities.append((place, written.priority(over: told)))
            }
            (written, told) = (written[key], told[key])
        }
        if !written.isReplaced { setList(written.applied(to: told), at: path) }
        updatePriorities(priorities)
    }

    /// An object that was empty in between has its priority again.
    private mutating func updatePriorities(_ priorities: [(place: Path, value: Value)]) {
        for (place, priority) in priorities where list[place].priority != priority {
            setList(priority, at: place.appending(.priority))
        }
    }
}
