import DataTree
import QueryEngine
import SyncProtocol

/// The messages of one turn to clients: one frame, or one list of values, for each client, in the order of
/// their first messages.
struct Outbox: Sendable {
    /// A turn with so few frames looks at each of them for that of a session, which costs less than a dictionary.
    private static let fewFrames = 8

    private var frames: [(session: SessionID, frame: FrameWriter)] = []
    /// The indexes of sessions in `frames`, once there are more than a few.
    private var places: [SessionID: Int] = [:]
    private var scratch = MessagePackWriter()

    /// The sessions of values, and for those with answers in this turn the place of their list.
    private var listPlaces: [SessionID: Int?] = [:]
    private var lists: [(session: SessionID, answers: [SessionAnswer])] = []
    /// The number of the last notice to a session of values.
    private var lastNotice: UInt64 = 0

    /// The size of this turn's messages to a client so far.
    func byteCount(for session: SessionID) -> Int {
        existingPlace(of: session).map { frames[$0].frame.byteCount } ?? 0
    }

    mutating func append(_ message: NodeMessage, to session: SessionID) {
        if isOfValues(session) { return append(SessionAnswer(message), to: session) }
        frames[place(of: session)].frame.append(deferring: message)
    }

    /// Notifies all listeners of one location; the change is encoded once for all of them, and sessions of values
    /// share its writes.
    mutating func append(_ notice: Listens.Notice, slow: inout SlowClients) {
        lastNotice += 1
        scratch.removeAll()
        let hasLarge = notice.writes.contains(where: \.isLarge)
        if !hasLarge { NodeMessage.encode(changed: notice.writes, into: &scratch) }
        scratch.bytes.withUnsafeBytes { writes in
            for listener in notice.listeners {
                if !slow.isEmpty, slow.holdsBack(listener) { continue }
                if hasLarge || isOfValues(listener.session) {
                    append(notice, to: listener)
                    continue
                }
                frames[place(of: listener.session)].frame
                    .appendChange(listen: listener.id, encodedWrites: writes)
            }
        }
    }

    private mutating func append(_ notice: Listens.Notice, to listener: Listens.Listener) {
        let change = NodeMessage.change(listen: listener.id, writes: notice.writes)
        guard isOfValues(listener.session) else { return append(change, to: listener.session) }
        append(SessionAnswer(change, notice: lastNotice), to: listener.session)
    }

    /// Answers a `get` with children, ascending by key.
    mutating func append(
        children: ShownChildren, id: UInt64, to session: SessionID
    ) {
        if isOfValues(session) {
            let answer = NodeMessage.value(id: id, value: children.value)
            return append(SessionAnswer(answer), to: session)
        }
        frames[place(of: session)].frame.appendValue(id: id, children: children)
    }

    /// Drops the messages to a client that is gone.
    mutating func close(_ session: SessionID) {
        if let place = listPlaces.removeValue(forKey: session) {
            if let place { lists[place].answers.removeAll() }
        } else if let place = existingPlace(of: session) {
            frames[place].frame.removeAll()
        }
    }

    /// Appends the end of each frame that has messages.
    mutating func finishFrames(_ finish: (SessionID, inout FrameWriter) -> Void) {
        for index in frames.indices where !frames[index].frame.isEmpty {
            finish(frames[index].session, &frames[index].frame)
        }
    }

    /// Removes and returns all frames and lists.
    mutating func removeAll() -> [Output] {
        let outputs = takeFrames()
        return lists.isEmpty ? outputs : outputs + takeLists()
    }

    private mutating func takeFrames() -> [Output] {
        if frames.isEmpty { return [] }
        var outputs: [Output] = []
        outputs.reserveCapacity(frames.count)
        for (session, frame) in frames where !frame.isEmpty {
            guard !frame.isLarge else {
                outputs.append(.replyLarge(session, frame.largeFrame))
                continue
            }
            outputs.append(.reply(session, frame.bytes))
        }
        frames.removeAll(keepingCapacity: true)
        if !places.isEmpty { places.removeAll(keepingCapacity: true) }
        return outputs
    }

    private mutating func place(of session: SessionID) -> Int {
        if let place = existingPlace(of: session) { return place }
        frames.append((session, FrameWriter()))
        if frames.count > Outbox.fewFrames {
            for place in places.count..<frames.count { places[frames[place].session] = place }
        }
        return frames.count - 1
    }

    private func existingPlace(of session: SessionID) -> Int? {
        frames.count > Outbox.fewFrames
            ? places[session] : frames.firstIndex { $0.session == session }
    }
}

// MARK: - Sessions of values

extension Outbox {
    /// Gives a session its answers as values from now on.
    mutating func open(_ session: SessionID) { listPlaces[session] = .some(nil) }

    /// Whether a session gets its answers as values.
    func isOfValues(_ session: SessionID) -> Bool {
        !listPlaces.isEmpty && listPlaces[session] != nil
    }

    private mutating func append(_ answer: SessionAnswer, to session: SessionID) {
        if case .some(.some(let place)) = listPlaces[session] {
            return lists[place].answers.append(answer)
        }
        listPlaces[session] = .some(lists.count)
        lists.append((session, [answer]))
    }

    private mutating func takeLists() -> [Output] {
        if lists.isEmpty { return [] }
        var outputs: [Output] = []
        outputs.reserveCapacity(lists.count)
        for (session, answers) in lists where !answers.isEmpty {
            outputs.append(.replyMessages(session, answers))
            listPlaces[session] = .some(nil)
        }
        lists.removeAll(keepingCapacity: true)
        return outputs
    }
}
