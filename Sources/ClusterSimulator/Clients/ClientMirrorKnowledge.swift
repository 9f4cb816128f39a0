import DataTree
import QueryEngine

// The limits of a client's knowledge: each value that a listener shows came from a node, a file or
// a write.

extension ClientMirror {
    /// Whether a node, or a file, may have told the client all that a listener shows. A query that hides some children tells all
    /// of the others.
    fileprivate func mayKnow(_ stream: EventStream) -> Bool {
        if !recalled.isEmpty { return true }
        return heard.contains { listen in
            listen.path.contains(stream.path)
                && (!listen.query.isFiltered || listen.path != stream.path
                    || listen.query == stream.query)
        }
    }

    /// Whether a node, a file or a write of the program may have told all of a child of what a query shows.
    fileprivate func mayKnow(all child: Path) -> Bool {
        if !recalled.isEmpty { return true }
        if places.values.contains(where: { $0.contains { $0.contains(child) } }) { return true }
        return heard.contains { listen in
            guard listen.path.contains(child) else { return false }
            if !listen.query.isFiltered { return true }
            guard listen.path != child else { return false }
            // The data of the listen are not always known.
            guard let value = told[listen] else { return true }
            return !value[child.keys[listen.path.count]].isNull
        }
    }

    /// Whether an unanswered write or transaction of the program is of all that is at a path.
    fileprivate func isWritten(_ path: Path) -> Bool {
        writes.contains { $0.writes.contains { $0.path.contains(path) } }
            || transactions.values.contains { $0.contains(path) }
    }

    /// How many unanswered writes and transactions there are at, above and below a path.
    fileprivate func writeCount(around path: Path) -> Int {
        writes.count { $0.overlaps(path) }
            + transactions.values.count { $0.contains(path) || path.contains($0) }
    }
}

extension SDKClient {
    /// Checks that each value that a listener has shown since the last check has an origin.
    mutating func checkOrigins(at now: Microseconds) {
        for index in streams.indices where !streams[index].isOver {
            let stream = streams[index]
            let isTold = stream.valueCount > stream.lookedAt.valueCount
            // If one of several writes is taken back, the other ones may show before that.
            if isTold, stream.lookedAt.writeCount < 2, !mirror.isWritten(stream.path),
                !mirror.mayKnow(stream)
            {
                tally.report(
                    .ownWritesShow,
                    "is told \(stream.value?.description ?? "nothing") at \(stream.path) by "
                        + "\(stream.query.text) at \(now.description), and no node has told it anything"
                )
            }
            checkChildren(of: index, at: now)
            streams[index].lookedAt = (stream.valueCount, mirror.writeCount(around: stream.path))
        }
        mirror.forgetFinished()
    }

    /// A query shows a child that came since the last look only if all of it is known.
    private mutating func checkChildren(of index: Int, at now: Microseconds) {
        let stream = streams[index]
        guard stream.query.isFiltered else { return }
        streams[index].childrenLookedAt = stream.children
        for (key, child) in stream.children where stream.childrenLookedAt[key] == nil {
            if mirror.mayKnow(all: stream.path.appending(key)) { continue }
            tally.report(
                .ownWritesShow,
                "is told \(key) \(child) at \(stream.path) by \(stream.query.text) at "
                    + "\(now.description), and knows a part of it at most")
        }
    }
}
