public import ClientCore
internal import QueryEngine

/// One event of a query, as a case to switch on.
public enum DataEvent: Sendable {
    /// The previous key is that of the child before it in the query's order; nil for the first.
    case childAdded(DataSnapshot, previousSiblingKey: String?)
    /// With the new data, even when the change is deep within the child.
    case childChanged(DataSnapshot, previousSiblingKey: String?)
    /// Its ordered value changed: it stands behind the previous key now.
    case childMoved(DataSnapshot, previousSiblingKey: String?)
    /// With the last data of the child.
    case childRemoved(DataSnapshot)
    /// The value that the query shows, after the child events of the same change.
    case value(DataSnapshot)
    /// The last event: the node ended the listen, or the reader fell too far behind.
    case cancelled(HearthError)
}

/// The events of a query, in order, for `for await`; the listen ends with the loop.
///
/// Each iteration listens anew, and ends when its task is cancelled. It needs no main queue. For a reader that falls
/// more than 100,000 events behind, the sequence ends with `cancelled`, because a list with a gap would be wrong.
public struct DataEvents: AsyncSequence, Sendable {
    /// One event of the query.
    public typealias Element = DataEvent
    /// The sequence never throws: the end of a listen by the node is an event too.
    public typealias Failure = Never

    private static let limit = 100_000

    let query: DatabaseQuery
    let kinds: ViewEvent.Kinds

    /// Listens anew; the listen ends with the iterator or its task.
    public func makeAsyncIterator() -> AsyncStream<DataEvent>.Iterator {
        stream().makeAsyncIterator()
    }

    private func stream() -> AsyncStream<DataEvent> {
        // One more than may wait, so that there is room to say that the rest is missing.
        AsyncStream(bufferingPolicy: .bufferingOldest(DataEvents.limit + 1)) { continuation in
            let handle = query.observe(kinds) { [query] _, events in
                for event in events {
                    let result = continuation.yield(DataEvent(event, query.snapshot(of: event)))
                    guard case .enqueued(let remaining) = result else { return }
                    if remaining > 1 { continue }
                    continuation.yield(.cancelled(.fellBehind(by: DataEvents.limit)))
                    return continuation.finish()
                }
            } ended: { error in
                continuation.yield(.cancelled(error))
                continuation.finish()
            }
            continuation.onTermination = { [query] _ in query.removeObserver(withHandle: handle) }
        }
    }
}

extension DatabaseQuery {
    /// All events of the query, in order.
    ///
    ///     for await event in messages.queryLimited(toLast: 10).events {
    ///         switch event { … }
    ///     }
    public var events: DataEvents { DataEvents(query: self, kinds: .all) }

    /// The child events of the query, in order.
    public var childEvents: DataEvents { DataEvents(query: self, kinds: .children) }

    /// A sequence of the query's results: the current one, and one after each change. A slow reader
    /// misses intermediate states, never the newest.
    ///
    /// It ends when its task is cancelled, and needs no main queue.
    ///
    /// - Throws: `HearthError`, when the node ends the listen.
    public var values: AsyncThrowingStream<DataSnapshot, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let handle = observe(ViewEvent.Kinds(.value)) { _, events in
                for event in events { continuation.yield(self.snapshot(of: event)) }
            } ended: {
                continuation.finish(throwing: $0)
            }
            continuation.onTermination = { _ in self.removeObserver(withHandle: handle) }
        }
    }
}

extension DataEvent {
    init(_ event: ViewEvent, _ snapshot: DataSnapshot) {
        let previous = event.previousChildKey?.text
        self =
            switch event.kind {
            case .childRemoved: .childRemoved(snapshot)
            case .childAdded: .childAdded(snapshot, previousSiblingKey: previous)
            case .childMoved: .childMoved(snapshot, previousSiblingKey: previous)
            case .childChanged: .childChanged(snapshot, previousSiblingKey: previous)
            case .value: .value(snapshot)
            }
    }
}

extension HearthError {
    fileprivate static func fellBehind(by count: Int) -> HearthError {
        HearthError(
            .tooBig, "more than \(count) events wait to be read",
            fix: "read them faster, or iterate over `values`, which skips to the newest state")
    }
}
