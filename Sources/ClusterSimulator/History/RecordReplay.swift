import ReplicaCore
import Store
import SyncProtocol

/// The record of a node's incarnation.
struct RecordedIncarnation {
    var node: Int
    var records: [NodeRecord]

    init(node: Int, _ records: [NodeRecord]) {
        self.node = node
        self.records = records
    }
}

/// Records what real nodes did as a simulated run records its nodes.
struct RecordReplay {
    /// A frame that a node received.
    private struct Served {
        var node: Int
        /// Among all incarnations.
        var incarnation: Int
        var session: UInt64
        var time: Microseconds
        var frame: [UInt8]
        var before: VersionVector
        var after: VersionVector
        var writer: WriterID
    }

    /// A request of a client that a node executed.
    struct Serving {
        var request: RequestKey
        fileprivate var serving: ClientOperation.Serving

        func found(on connection: Int) -> ClientOperation.Serving {
            var serving = serving
            serving.connection = connection
            return serving
        }
    }

    private(set) var recording: Recording
    private(set) var archive = BatchArchive()
    private var served: [Served] = []
    /// Of each incarnation.
    private var writers: [WriterID] = []

    init(nodes: Int) { recording = Recording(nodes: nodes, isOn: true, keepsValues: false) }

    /// Plays all records of all incarnations in the order of their times.
    mutating func play(_ incarnations: [RecordedIncarnation]) {
        writers = [WriterID](repeating: WriterID(bits: 0), count: incarnations.count)
        var order: [(time: UInt64, incarnation: Int, index: Int)] = []
        for (incarnation, recorded) in incarnations.enumerated() {
            for (index, record) in recorded.records.enumerated() {
                order.append((record.microseconds, incarnation, index))
            }
        }
        order.sort { $0 < $1 }
        for (_, incarnation, index) in order {
            play(
                incarnations[incarnation].records[index], of: incarnation,
                by: incarnations[incarnation].node)
        }
    }

    private mutating func play(_ record: NodeRecord, of incarnation: Int, by node: Int) {
        let time = record.microseconds
        switch record.event {
        case .started(let writer, let vector):
            writers[incarnation] = writer
            recording.record(
                start: .init(writer: writer, vector: vector), node: node, incarnation: incarnation,
                at: time)
            recording.record(durable: vector, node: node, at: time)
        case .turned(let writer, let vector, let stableTime, let wall):
            writers[incarnation] = writer
            recording.record(wallMilliseconds: wall, at: time)
            recording.record(
                turnOf: .init(writer: writer, vector: vector), node: node, incarnation: incarnation,
                stableTime: stableTime, at: time)
        case .stored(let batches):
            let entries = batches.compactMap { try? LogEntry($0) }
            for entry in entries { archive.record(entry) }
            recording.record(
                stored: entries, by: writers[incarnation], node: node, incarnation: incarnation,
                at: time)
        case .durable(let vector): recording.record(durable: vector, node: node, at: time)
        case .serving:
            let vector = recording.states[node].last?.vector ?? VersionVector()
            recording.record(serviceBy: node, holding: vector, at: time)
        case .published(let frame): recording.record(published: frame, node: node)
        case .served(let session, let frame, let before, let after):
            served.append(
                Served(
                    node: node, incarnation: incarnation, session: session, time: time,
                    frame: frame,
                    before: before, after: after, writer: writers[incarnation]))
        }
    }

    /// The requests of clients that nodes executed, known by their stamps.
    func servings(of clients: [WriterID: Int]) -> [Serving] {
        struct Session: Hashable {
            var incarnation: Int
            var number: UInt64
        }
        var owners: [Session: Int] = [:]
        let messages = served.map { try? FrameReader<ClientMessage>.messages(in: $0.frame) }
        for (served, messages) in zip(served, messages) {
            for case .message(let message) in messages ?? [] {
                guard let writer = message.stamp?.writer, let client = clients[writer]
                else { continue }
                owners[Session(incarnation: served.incarnation, number: served.session)] = client
            }
        }
        var servings: [Serving] = []
        for (served, messages) in zip(served, messages) {
            let session = Session(incarnation: served.incarnation, number: served.session)
            guard let client = owners[session] else { continue }
            for case .message(let message) in messages ?? [] {
                guard let number = message.requestID else { continue }
                servings.append(
                    Serving(
                        request: RequestKey(client: client, number: number),
                        serving: serving(served, message.stamp)))
            }
        }
        return servings
    }

    private func serving(_ served: Served, _ stamp: Stamp?) -> ClientOperation.Serving {
        let isWrite = served.after[served.writer] > served.before[served.writer]
        let made =
            isWrite
            ? Dot(origin: served.writer, sequence: served.after[served.writer]) : nil
        return ClientOperation.Serving(
            connection: 0, node: served.node, time: served.time, before: served.before,
            vector: served.after, made: made,
            dot: made ?? stamp.flatMap { recording.dot(of: $0, in: served.after) })
    }
}
