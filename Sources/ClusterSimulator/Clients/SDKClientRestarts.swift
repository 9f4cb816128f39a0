import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// An SDK client with a dense program whose process ends and begins again.

extension SDKClient {
    /// Begins another process, which has what the file has kept, if there is one; returns its listens, which are those of the last one.
    mutating func restart(isOffline: Bool) -> [(id: ListenID, path: Path, query: Query)] {
        let listened = streams.filter { !$0.isOver }
        for index in streams.indices { streams[index].isOver = true }
        (open, deadlines, results, recalls) = ([:], [:], [], [])
        tried = []
        session.begin()
        (mirror, hasGivenUp, hops) = (ClientMirror(), false, 0)
        renewCore()
        for kept in file?.keptWrites ?? [] {
            mirror.restore(kept.writes, as: SDKClient.request(of: kept))
        }
        _ = dense?.restart(isOffline: isOffline)
        return listened.map { stream in
            let id = ListenID(number: UInt64(streams.count))
            streams.append(EventStream(path: stream.path, query: stream.query, mayBePartial: true))
            return (id, stream.path, stream.query)
        }
    }

    /// The number under which the library does a write of an earlier process.
    private static func request(of kept: KeptWrite) -> UInt64 { 1 << 63 | kept.number }

    /// Removes and returns the values that have been read from the file.
    mutating func removeRecalls(at now: Microseconds) -> [(key: String, frame: [UInt8]?)] {
        let due = recalls.filter { $0.time <= now }
        recalls.removeAll { $0.time <= now }
        return due.map { ($0.key, file?.value(at: $0.key)) }
    }
}
