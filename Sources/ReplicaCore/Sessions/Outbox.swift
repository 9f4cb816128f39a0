import DataTree
import QueryEngine
import SyncProtocol

/// The messages of one turn to clients: one frame, or one list of values, for each client, in the order of
/// their first messages.
struct Outbox: Sendable {
    /// The end of the frames to all clients that have been told the same.
    struct End {
        let told: UInt64
        var messages = FrameWriter()
    }

    private struct Entry {
        let session: SessionID
        var frame: FrameWriter
        /// The number of the frame that it shares with other clients; nil for a frame of its own.
        var shared: Int?
    }

    /// A shared frame with its end.
    private struct FinishedName: Hashable {
        let shared: Int
        let told: UInt64
    }

    /// A turn with so few frames looks at each of them for that of a session, which costs less than a dictionary.
    private static let fewFrames = 8

    private var frames: [Entry] = []
    /// The number of frames in this turn that several clients may share.
    private var sharedCount = 0
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
        change(place(of: session)) { $0.append(deferring: message) }
    }

    /// Notifies all listeners of one location; the change is encoded once for all of them, and sessions of values
    /// share its writes.
    mutating func append(_ notice: Listens.Notice, slow: inout SlowClients) {
        lastNotice += 1
        scratch.removeAll()
        let hasLarge = notice.writes.contains(where: \.isLarge)
        if !hasLarge { NodeMessage.encode(changed: notice.writes, into: &scratch) }
        // The frames of this change alone, by the numbers of listens: clients often use the same ones.
        var shared: [UInt64: (number: Int, frame: FrameWriter)] = [:]
        scratch.bytes.withUnsafeBytes { writes in
            for listener in notice.listeners {
                if !slow.isEmpty, slow.holdsBack(listener) { continue }
                if hasLarge || isOfValues(listener.session) {
                    append(notice, to: listener)
                    continue
                }
                let place = placeOrEnd(of: listener.session)
                guard place == frames.count else {
                    change(place) { $0.appendChange(listen: listener.id, encodedWrites: writes) }
                    continue
                }
                let (number, frame) = shared[listener.id] ?? newShared(listener.id, writes)
                shared[listener.id] = (number, frame)
                frames.append(Entry(session: listener.session, frame: frame, shared: number))
            }
        }
    }

    private mutating func newShared(
        _ listen: UInt64, _ writes: UnsafeRawBufferPointer
    ) -> (number: Int, frame: FrameWriter) {
        sharedCount += 1
        var frame = FrameWriter()
        frame.appendChange(listen: listen, encodedWrites: writes)
        return (sharedCount, frame)
    }

    /// Changes a frame, which is then of its own.
    private mutating func change(_ place: Int, _ body: (inout FrameWriter) -> Void) {
        frames[place].shared = nil
        body(&frames[place].frame)
    }

    private mutating func append(_ notice: Listens.Notice, to listener: Listens.Listener) {
        let change = NodeMessage.change(listen: listener.id, writes: notice.writes)
        guard isOfValues(listener.session) else { return append(change, to: listener.session) }
        var answer = SessionAnswer(change, notice: lastNotice)
        answer.replacement = notice.replacement
        append(answer, to: listener.session)
    }

    /// Answers a `get` with children, ascending by key.
    mutating func append(
        children: ShownChildren, id: UInt64, to session: SessionID
    ) {
        if isOfValues(session) {
            let answer = NodeMessage.value(id: id, value: children.value)
            return append(SessionAnswer(answer), to: session)
        }
        change(place(of: session)) { $0.appendValue(id: id, children: children) }
    }

    /// Drops the messages to a client that is gone.
    mutating func close(_ session: SessionID) {
        if let place = listPlaces.removeValue(forKey: session) {
            if let place { lists[place].answers.removeAll() }
        } else if let place = existingPlace(of: session) {
            change(place) { $0.removeAll() }
        }
    }

    /// Appends the end of each frame that has messages, where there is one; clients share frames with equal ends.
    mutating func finishFrames(_ end: (SessionID) -> End?) {
        var finished: [FinishedName: FrameWriter] = [:]
        for index in frames.indices where !frames[index].frame.isEmpty {
            guard let end = end(frames[index].session) else { continue }
            let name = frames[index].shared.map { FinishedName(shared: $0, told: end.told) }
            if let name, let frame = finished[name] {
                frames[index].frame = frame
                continue
            }
            frames[index].frame.append(messagesOf: end.messages)
            if let name { finished[name] = frames[index].frame }
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
        for entry in frames where !entry.frame.isEmpty {
            let (session, frame) = (entry.session, entry.frame)
            guard !frame.isLarge else {
                outputs.append(.replyLarge(session, frame.largeFrame))
                continue
            }
            outputs.append(.reply(session, frame.bytes))
        }
        frames.removeAll(keepingCapacity: true)
        sharedCount = 0
        if !places.isEmpty { places.removeAll(keepingCapacity: true) }
        return outputs
    }

    private mutating func place(of session: SessionID) -> Int {
        let place = placeOrEnd(of: session)
        if place == frames.count { frames.append(Entry(session: session, frame: FrameWriter())) }
        return place
    }

    /// The place of a session's frame; the end of the frames if it has none, where the caller then appends one.
    private mutating func placeOrEnd(of session: SessionID) -> Int {
        let end = frames.count
        if end <= Outbox.fewFrames { return existingPlace(of: session) ?? end }
        if places.isEmpty { for place in 0..<end { places[frames[place].session] = place } }
        // One search finds the session or enters it.
        func read(_ place: inout Int) -> Int { place }
        return read(&places[session, default: end])
    }

    private func existingPlace(of session: SessionID) -> Int? {
        places.isEmpty ? frames.firstIndex { $0.session == session } : places[session]
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
