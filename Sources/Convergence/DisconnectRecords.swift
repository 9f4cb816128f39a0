package import DataTree
import Marks
package import SyncProtocol

/// The on-disconnect writes of all sessions of the cluster, by the incarnations of their nodes.
///
/// Equal sets of operations give equal records. A removed record is remembered until its removal is stable, so that
/// an earlier operation that arrives late does not bring it back.
package struct DisconnectRecords: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        /// The operation that made it.
        package var stamp: Stamp
        /// Nil if it is removed.
        package var content: DisconnectRecord.Content?
        /// The latest operation that has made it, also if it is removed; `.none` if that has not arrived.
        package var registration: Stamp
    }

    /// The sessions of one incarnation of a node.
    private struct Incarnation: Equatable, Sendable {
        var entries: [UInt64: Entry] = [:]
        /// How many are not removed.
        var count = 0
        /// The latest stamp of the incarnation since its first record.
        var lastTime = HybridTime.zero
    }

    private var incarnations: [WriterID: Incarnation] = [:]
    /// The removed ones, in order of arrival from the head on.
    private var removed: [(stamp: Stamp, name: DisconnectRecord.Name)] = []
    private var head = 0
    /// How many are not removed.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { incarnations.isEmpty }

    /// Compares the records: the order of arrival is no part of the state.
    package static func == (a: DisconnectRecords, b: DisconnectRecords) -> Bool {
        a.incarnations == b.incarnations
    }

    /// Applies a record of an operation; it may arrive late.
    ///
    /// - Returns: If it removes a registration, the stamp of that, also if another operation has removed it before; nil if it is
    ///   unknown.
    @discardableResult
    package mutating func apply(_ record: DisconnectRecord, at stamp: Stamp) -> Stamp? {
        let name = record.name
        let last = incarnations[name.writer]?.entries[name.session]
        var registration = last?.registration ?? .none
        if record.content != nil { registration = max(registration, stamp) }
        if let last, stamp <= last.stamp {
            incarnations[name.writer]?.entries[name.session]?.registration = registration
            if last.content == nil, record.content != nil {
                sometimes(.recordArrivesBehindItsRemoval)
            }
        } else {
            let change = (record.content == nil ? 0 : 1) - (last?.content == nil ? 0 : 1)
            incarnations[name.writer, default: Incarnation()].entries[name.session] =
                Entry(stamp: stamp, content: record.content, registration: registration)
            incarnations[name.writer]?.count += change
            count += change
            if record.content == nil { removed.append((stamp, name)) }
        }
        if record.content != nil { observe(stamp.time, of: name.writer) }
        return record.content == nil && registration > .none ? registration : nil
    }

    /// Learns of an operation of an incarnation.
    package mutating func observe(_ time: HybridTime, of writer: WriterID) {
        guard let index = incarnations.index(forKey: writer) else { return }
        if incarnations.values[index].lastTime < time {
            incarnations.values[index].lastTime = time
        }
    }

    /// Forgets removed records that no operation can bring back: all operations with stamps up to this time have arrived.
    package mutating func forget(through time: HybridTime) {
        while head < removed.count, removed[head].stamp.time <= time {
            let (stamp, name) = removed[head]
            head += 1
            guard let entry = incarnations[name.writer]?.entries[name.session],
                entry.stamp == stamp, entry.content == nil
            else { continue }
            incarnations[name.writer]?.entries[name.session] = nil
            if incarnations[name.writer]?.entries.isEmpty == true {
                incarnations[name.writer] = nil
            }
        }
        if head == removed.count || head > 1_000 && 2 * head > removed.count {
            removed.removeFirst(head)
            head = 0
        }
    }

    // MARK: What there is

    /// The incarnations that have records which are not removed, ascending.
    package var writers: [WriterID] {
        if count == 0 { return [] }
        return incarnations.filter { $0.value.count > 0 }.keys.sorted()
    }

    /// The name of the node of an incarnation with records.
    package func member(of writer: WriterID) -> String? {
        // All records of an incarnation name the same node.
        incarnations[writer]?.entries.values.lazy.compactMap(\.content).first?.member
    }

    /// The sessions of an incarnation whose records are not removed, ascending.
    package func sessions(of writer: WriterID) -> [UInt64] {
        guard let incarnation = incarnations[writer], incarnation.count > 0 else { return [] }
        return incarnation.entries.filter { $0.value.content != nil }.keys.sorted()
    }

    /// The latest stamp of an incarnation, as far as it is known.
    package func lastTime(of writer: WriterID) -> HybridTime {
        incarnations[writer]?.lastTime ?? .zero
    }

    package subscript(name: DisconnectRecord.Name) -> Entry? {
        incarnations[name.writer]?.entries[name.session]
    }

    /// The latest registration of other incarnations at each location.
    ///
    /// - Complexity: O(records).
    package func registrations(except writer: WriterID) -> [Path: Stamp] {
        var latest: [Path: Stamp] = [:]
        for (other, incarnation) in incarnations where other != writer && incarnation.count > 0 {
            for entry in incarnation.entries.values {
                for write in entry.content?.writes ?? [] {
                    latest[write.path] = max(latest[write.path] ?? .none, entry.stamp)
                }
            }
        }
        return latest
    }
}

// MARK: - Bytes

extension MessagePackWriter {
    /// Appends `[writer, last time, [session, time, writer, content, time, writer, …], …]`, ascending by writer and session.
    package mutating func append(_ records: DisconnectRecords) { records.append(to: &self) }
}

extension DisconnectRecords {
    fileprivate func append(to writer: inout MessagePackWriter) {
        writer.appendArrayHead(3 * incarnations.count)
        for (id, incarnation) in incarnations.sorted(by: { $0.key < $1.key }) {
            writer.append(id.bits)
            writer.append(incarnation.lastTime.bits)
            writer.appendArrayHead(6 * incarnation.entries.count)
            for (session, entry) in incarnation.entries.sorted(by: { $0.key < $1.key }) {
                writer.append(session)
                writer.append(entry.stamp.time.bits)
                writer.append(entry.stamp.writer.bits)
                writer.append(entry.content)
                writer.append(entry.registration.time.bits)
                writer.append(entry.registration.writer.bits)
            }
        }
    }

    package init(from reader: inout MessagePackReader) throws(FrameError) {
        for _ in 0..<(try reader.arrayHead("records of on-disconnect writes") / 3) {
            let writer = try reader.writerID()
            let lastTime = try reader.time()
            for _ in 0..<(try reader.arrayHead("records of an incarnation") / 6) {
                let session = try reader.unsigned("the number of a session")
                let stamp = Stamp(time: try reader.time(), writer: try reader.writerID())
                let name = DisconnectRecord.Name(writer: writer, session: session)
                apply(DisconnectRecord(name, try reader.disconnectContent()), at: stamp)
                incarnations[writer]?.entries[session]?.registration = Stamp(
                    time: try reader.time(), writer: try reader.writerID())
            }
            observe(lastTime, of: writer)
        }
        removed.sort { $0.stamp < $1.stamp }
    }
}
