import DataTree
import SyncProtocol

/// The on-disconnect writes of all sessions: in memory, within bounds.
struct Disconnects: Sendable {
    private struct Session: Sendable {
        var writes = DisconnectWrites()
        var heardMilliseconds: UInt64
    }

    /// The byte limit of one session.
    private static let sessionLimit = 1 << 20
    /// The byte limit of all sessions together.
    private static let limit = 64 << 20
    /// A session may hold this part of the bytes that the others leave free. So the largest holders are refused first as the
    /// room gets scarce, and many of them together leave room for small ones.
    private static let share = 8
    /// A session with on-disconnect writes counts as gone after this much silence.
    static let silenceMilliseconds: UInt64 = 15_000

    private var sessions: [SessionID: Session] = [:]
    private(set) var byteCount = 0

    var isEmpty: Bool { sessions.isEmpty }
    /// The sessions with on-disconnect writes, ascending.
    var all: [SessionID] { sessions.keys.sorted() }

    /// Records that a session is alive.
    mutating func hear(_ id: SessionID, at milliseconds: UInt64) {
        if !sessions.isEmpty { sessions[id]?.heardMilliseconds = milliseconds }
    }

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
    }

    mutating func cancel(at path: Path, for id: SessionID) {
        guard var session = sessions[id] else { return }
        byteCount -= session.writes.byteCount
        session.writes.cancel(at: path)
        byteCount += session.writes.byteCount
        sessions[id] = session.writes.isEmpty ? nil : session
    }

    /// The locations of a session's on-disconnect writes.
    func locations(of id: SessionID) -> [Path] {
        sessions[id]?.writes.writes.map(\.path) ?? []
    }

    /// Removes and returns the on-disconnect writes of a session.
    mutating func remove(_ id: SessionID) -> [Write] {
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
