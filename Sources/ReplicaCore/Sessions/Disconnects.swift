import DataTree
import SyncProtocol

/// The on-disconnect writes of all sessions of this node, within bounds. Their records (`DisconnectRecord`) outlive it.
struct Disconnects: Sendable {
    private struct Session: Sendable {
        var writes = DisconnectWrites()
        var heardMilliseconds: UInt64
        /// A time at or above the stamps of the session's own writes.
        var writtenTime = HybridTime.zero
        /// Whether it has no record until it cancels some: its writes are too many.
        var isLeftOut = false
    }

    /// The record of a session, and about how many bytes it has.
    private struct Recorded: Sendable {
        var name: DisconnectRecord.Name
        var byteCount: Int
    }

    /// The byte limit of one session.
    private static let sessionLimit = 1 << 20
    /// The byte limit of all sessions together.
    private static let limit = 64 << 20
    /// A session may hold this part of the bytes that the others leave free. So the largest holders are refused first as the
    /// room gets scarce, and many of them together leave room for small ones.
    private static let share = 8
    /// The byte limit of one session's record: each change of the writes is an operation with all of them.
    private static let recordLimit = 64 << 10
    /// The byte limit of the records of all sessions: each checkpoint has those of all nodes.
    private static let recordsLimit = 8 << 20
    /// A session with on-disconnect writes counts as gone after this much silence.
    static let silenceMilliseconds: UInt64 = 15_000

    private var sessions: [SessionID: Session] = [:]
    /// The sessions whose records are no longer right.
    private var changed: Set<SessionID> = []
    /// The records that operations of this node have made of sessions.
    private var recorded: [SessionID: Recorded] = [:]
    private var recordedBytes = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { sessions.isEmpty }
    /// The sessions with on-disconnect writes, ascending.
    var all: [SessionID] { sessions.keys.sorted() }

    /// Records that a session is alive.
    mutating func hear(_ id: SessionID, at milliseconds: UInt64) {
        if !sessions.isEmpty { sessions[id]?.heardMilliseconds = milliseconds }
    }

    /// Records that a session has written, at this time or before.
    mutating func noteWrite(of id: SessionID, at time: HybridTime) {
        if !sessions.isEmpty { sessions[id]?.writtenTime = time }
    }

    /// The time of a session's last write; zero if there is none.
    func writtenTime(of id: SessionID) -> HybridTime { sessions[id]?.writtenTime ?? .zero }

    /// The sessions that were silent for too long, ascending.
    func silent(at milliseconds: UInt64) -> [SessionID] {
        all.filter {
            let heard = sessions[$0]?.heardMilliseconds ?? milliseconds
            return milliseconds > heard + Disconnects.silenceMilliseconds
        }
    }

    /// Adds puts that take effect one by one, or none.
    ///
    /// - Throws: `RequestFailure` if they leave the session with more than its limit.
    mutating func add(
        _ writes: [Write], for id: SessionID, at milliseconds: UInt64
    ) throws(RequestFailure) {
        let old = sessions[id] ?? Session(heardMilliseconds: milliseconds)
        var new = old
        for write in writes { new.writes.put(write) }
        let free = Disconnects.limit - (byteCount - old.writes.byteCount)
        let limit = min(Disconnects.sessionLimit, free / Disconnects.share)
        if new.writes.byteCount > limit { new.writes.recount() }
        let bytes = new.writes.byteCount
        guard bytes <= limit || bytes <= old.writes.byteCount else {
            throw limit < Disconnects.sessionLimit ? .roomIsScarce(limit) : .tooManyBytes
        }
        byteCount += bytes - old.writes.byteCount
        sessions[id] = new.writes.isEmpty ? nil : new
        if !new.isLeftOut { changed.insert(id) }
    }

    mutating func cancel(at path: Path, for id: SessionID) {
        guard var session = sessions[id] else { return }
        byteCount -= session.writes.byteCount
        session.writes.cancel(at: path)
        session.isLeftOut = false
        byteCount += session.writes.byteCount
        sessions[id] = session.writes.isEmpty ? nil : session
        changed.insert(id)
    }

    /// The bytes of a session's on-disconnect writes.
    func byteCount(of id: SessionID) -> Int { sessions[id]?.writes.byteCount ?? 0 }

    /// The locations of a session's on-disconnect writes.
    func locations(of id: SessionID) -> [Path] {
        sessions[id]?.writes.writes.map(\.path) ?? []
    }

    // MARK: Records

    /// Whether records are to be made or removed.
    var hasChanged: Bool { !changed.isEmpty }

    /// Has all records made again.
    mutating func changeAll() { changed.formUnion(sessions.keys) }

    /// Has the record of a session made again, if it has one.
    mutating func change(_ id: SessionID) {
        if !sessions.isEmpty, sessions[id] != nil { changed.insert(id) }
    }

    /// Removes and returns the sessions whose records are no longer right, ascending, with their on-disconnect writes.
    mutating func takeChanged() -> [(session: SessionID, writes: [Write])] {
        defer { changed = [] }
        return changed.sorted().map { ($0, sessions[$0]?.writes.writes ?? []) }
    }

    /// The record of a session.
    func record(of id: SessionID) -> DisconnectRecord.Name? {
        recorded.isEmpty ? nil : recorded[id]?.name
    }

    /// Whether a session may have a record of so many bytes. If not, it has none, and its later writes are not looked at.
    mutating func admitsRecord(of id: SessionID, byteCount: Int) -> Bool {
        let others = recordedBytes - (recorded[id]?.byteCount ?? 0)
        if byteCount <= Disconnects.recordLimit, others + byteCount <= Disconnects.recordsLimit {
            return true
        }
        sessions[id]?.isLeftOut = true
        return false
    }

    /// Notes the record of a session; nil if that is removed.
    mutating func note(
        _ record: DisconnectRecord.Name?, of id: SessionID, byteCount: Int = 0
    ) {
        recordedBytes += byteCount - (recorded[id]?.byteCount ?? 0)
        recorded[id] = record.map { Recorded(name: $0, byteCount: byteCount) }
    }

    /// The sessions with records, ascending.
    var allRecorded: [(session: SessionID, record: DisconnectRecord.Name)] {
        recorded.sorted { $0.key < $1.key }.map { ($0.key, $0.value.name) }
    }

    /// Removes and returns the on-disconnect writes of a session. Its record goes with the operation that does them.
    mutating func remove(_ id: SessionID) -> [Write] {
        if !changed.isEmpty { changed.remove(id) }
        guard let session = sessions.removeValue(forKey: id) else { return [] }
        byteCount -= session.writes.byteCount
        return session.writes.writes
    }
}

extension RequestFailure {
    fileprivate static let tooManyBytes = RequestFailure(
        .tooBig, "the on-disconnect writes of one connection may have 1 MB at most",
        fix: "cancel some of them, or write less", limit: .disconnectBytes)

    fileprivate static func roomIsScarce(_ limit: Int) -> RequestFailure {
        RequestFailure(
            .tooBig,
            "the on-disconnect writes of all connections use much memory of this node: one connection may have "
                + "\(limit >> 10) kB of them at present",
            fix: "cancel some of them, write less, or use another node", limit: .disconnectBytes)
    }
}
