import DataTree
import Marks
public import SyncProtocol

/// Which writes with stamps of clients were done: the times of each client's last ones.
///
/// A client repeats only unanswered writes, of which it has a bounded number; so its last times answer
/// each repetition, however old. Above a floor the answer is definite.
public struct DeduplicationTable: Equatable, Sendable {
    /// The limits of a table that comes from a checkpoint, until others are set.
    private static let encodedLimits = (ofClient: 1_024, total: 1 << 18)

    /// Whether a write was done.
    public enum Answer: Equatable, Sendable {
        case done
        case notDone
        /// Too old to tell.
        case forgotten
    }

    fileprivate struct Client: Equatable, Sendable {
        /// Ascending.
        var times: [HybridTime] = []
        /// Writes up to this time are forgotten.
        var floor: HybridTime
    }

    /// The minimum number of times kept for each client.
    private var clientLimit: Int
    private var limit: Int
    private var clients: [WriterID: Client] = [:]
    /// The number of times kept.
    public private(set) var count = 0
    /// The floor of clients that are not in the table.
    private var floor = HybridTime.zero

    /// A table without clients, and with a definite answer for every stamp.
    ///
    /// - Parameters:
    ///   - clientLimit: The minimum number of times kept for each client; the maximum is twice as many. No client
    ///     may have more
    ///     requests in flight.
    ///   - limit: The number of times kept of all clients.
    public init(ofClient clientLimit: Int, total limit: Int) {
        self.clientLimit = clientLimit
        self.limit = limit
    }

    /// The same times in a table with other limits, which hold from the next insertion on.
    public func limited(ofClient clientLimit: Int, total limit: Int) -> DeduplicationTable {
        var limited = self
        (limited.clientLimit, limited.limit) = (clientLimit, limit)
        return limited
    }

    /// Whether the write with a stamp was done.
    public func answer(for stamp: Stamp) -> Answer {
        guard let client = clients[stamp.writer] else {
            return stamp.time <= floor ? .forgotten : .notDone
        }
        if client.times.contains(ascending: stamp.time) { return .done }
        return stamp.time <= client.floor ? .forgotten : .notDone
    }

    /// Records that a write was done.
    ///
    /// - Complexity: O(1) amortised for a time after the client's last one.
    public mutating func insert(_ stamp: Stamp) {
        count += clients[stamp.writer, default: Client(floor: floor)]
            .insert(stamp.time, keeping: clientLimit)
        if count > limit { shrink() }
    }

    /// Forgets the half of the clients whose last writes are oldest, and half of the others' times.
    private mutating func shrink() {
        sometimes(.deduplicationTableShrinks)
        let last = clients.map { (writer: $0.key, time: $0.value.times.last ?? .zero) }
            .sorted { ($0.time, $0.writer) < ($1.time, $1.writer) }
        for (writer, time) in last.prefix(last.count / 2) {
            clients[writer] = nil
            floor = max(floor, time)
        }
        for writer in clients.keys { clients[writer]?.keepLast(clientLimit / 2) }
        count = clients.values.reduce(0) { $0 + $1.times.count }
    }
}

extension DeduplicationTable.Client {
    /// Returns the number of times added.
    fileprivate mutating func insert(_ time: HybridTime, keeping limit: Int) -> Int {
        // Below the floor, no answer is definite anyway.
        guard time > floor else { return 0 }
        if let last = times.last, last >= time {
            guard !times.contains(ascending: time) else { return 0 }
            sometimes(.stampArrivesOutOfOrder)
            times.insert(time, at: times.firstIndex { $0 > time } ?? times.count)
            return 1
        }
        times.append(time)
        guard times.count >= 2 * limit else { return 1 }
        let count = times.count
        keepLast(limit)
        return 1 + times.count - count
    }

    fileprivate mutating func keepLast(_ count: Int) {
        guard times.count > count else { return }
        floor = times[times.count - count - 1]
        times.removeFirst(times.count - count)
    }
}

extension [HybridTime] {
    fileprivate func contains(ascending time: HybridTime) -> Bool {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self[middle] == time { return true }
            range =
                self[middle] < time
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    /// Appends `[floor, [writer, floor, difference, …], …]`: each time as its difference from the one
    /// before it, the first from the floor; clients ascend by writer.
    package mutating func append(_ stamps: DeduplicationTable) { stamps.append(to: &self) }
}

extension DeduplicationTable {
    fileprivate func append(to writer: inout MessagePackWriter) {
        writer.appendArrayHead(1 + clients.count)
        writer.append(floor.bits)
        for (id, client) in clients.sorted(by: { $0.key < $1.key }) {
            writer.appendArrayHead(2 + client.times.count)
            writer.append(id.bits)
            writer.append(client.floor.bits)
            var last = client.floor
            for time in client.times {
                writer.append(time.bits - last.bits)
                last = time
            }
        }
    }

    package init(from reader: inout MessagePackReader) throws(FrameError) {
        let start = reader.position
        let clientCount = try reader.arrayHead("the stamps of clients") - 1
        guard 0...DeduplicationTable.encodedLimits.total ~= clientCount else {
            throw .ofCheckpoint("too many clients", at: start)
        }
        (clientLimit, limit) = DeduplicationTable.encodedLimits
        floor = try reader.time()
        for _ in 0..<clientCount {
            let start = reader.position
            let timeCount = try reader.arrayHead("the stamps of a client") - 2
            guard 0...2 * DeduplicationTable.encodedLimits.ofClient ~= timeCount else {
                throw .ofCheckpoint("too many stamps of a client", at: start)
            }
            let id = try reader.writerID()
            var client = Client(floor: try reader.time())
            for _ in 0..<timeCount {
                let last = client.times.last ?? client.floor
                let difference = try reader.unsigned("a time difference")
                let (bits, isTooLate) = last.bits.addingReportingOverflow(difference)
                guard !isTooLate, difference > 0, bits <= HybridTime.latest.bits else {
                    throw .ofCheckpoint("the stamps of a client do not ascend", at: start)
                }
                client.times.append(HybridTime(bits: bits))
            }
            clients[id] = client
            count += timeCount
        }
    }
}
