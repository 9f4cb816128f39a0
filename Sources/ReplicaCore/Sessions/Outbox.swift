import DataTree
import SyncProtocol

/// The messages of one turn to clients: one frame for each client, in the order of their first
/// messages.
struct Outbox: Sendable {
    private var frames: [(session: SessionID, frame: FrameWriter)] = []
    private var places: [SessionID: Int] = [:]
    private var scratch = MessagePackWriter()

    /// The size of this turn's messages to a client so far.
    func byteCount(for session: SessionID) -> Int {
        places[session].map { frames[$0].frame.byteCount } ?? 0
    }

    mutating func append(_ message: NodeMessage, to session: SessionID) {
        frames[place(of: session)].frame.append(message)
    }

    /// Notifies all listeners of one location; the change is encoded once for all of them.
    mutating func append(_ notice: Listens.Notice, slow: inout SlowClients) {
        scratch.removeAll()
        NodeMessage.encode(changed: notice.writes, into: &scratch)
        scratch.bytes.withUnsafeBytes { writes in
            for listener in notice.listeners {
                if !slow.isEmpty, slow.holdsBack(listener) { continue }
                frames[place(of: listener.session)].frame
                    .appendChange(listen: listener.id, encodedWrites: writes)
            }
        }
    }

    /// Answers a `get` with children, ascending by key.
    mutating func append(
        children: [(key: Key, value: Value)], id: UInt64, to session: SessionID
    ) {
        frames[place(of: session)].frame.appendValue(id: id, children: children)
    }

    /// Drops the messages to a client that is gone.
    mutating func removeAll(to session: SessionID) {
        guard let place = places[session] else { return }
        frames[place].frame.removeAll()
    }

    /// Appends the end of each frame that has messages.
    mutating func finishFrames(_ finish: (SessionID, inout FrameWriter) -> Void) {
        for index in frames.indices where !frames[index].frame.isEmpty {
            finish(frames[index].session, &frames[index].frame)
        }
    }

    /// Removes and returns all frames.
    mutating func take() -> [Output] {
        if frames.isEmpty { return [] }
        let outputs = frames.compactMap { session, frame in
            frame.isEmpty ? nil : Output.reply(session, frame.bytes)
        }
        frames.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        return outputs
    }

    private mutating func place(of session: SessionID) -> Int {
        if let place = places[session] { return place }
        places[session] = frames.count
        frames.append((session, FrameWriter()))
        return frames.count - 1
    }
}
