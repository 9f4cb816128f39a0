import ReplicaCore
import SyncProtocol

/// What a node recorded in one life.
struct RecordedLife {
    var node: Int
    var records: [NodeRecord]

    init(node: Int, _ records: [NodeRecord]) {
        self.node = node
        self.records = records
    }
}

/// Notes what real nodes recorded as a simulated run notes what its nodes do.
struct RecordReplay {
    /// A frame that a node took.
    private struct Served {
        var node: Int
        /// Among all lives.
        var life: Int
        var session: UInt64
        var time: Microseconds
        var frame: [UInt8]
        var before: Vector
        var after: Vector
        var writer: WriterID
    }

    /// A request of a client that a node took.
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
    /// Of each life.
    private var writers: [WriterID] = []

    init(nodes: Int) { recording = Recording(nodes: nodes, isOn: true, keepsValues: false) }

    /// Plays all records of all lives in the order of their times.
    mutating func play(_ lives: [RecordedLife]) {
        writers = [WriterID](repeating: WriterID(bits: 0), count: lives.count)
        var order: [(time: UInt64, life: Int, index: Int)] = []
        for (life, recorded) in lives.enumerated() {
            for (index, record) in recorded.records.enumerated() {
                order.append((record.microseconds, life, index))
            }
        }
        order.sort { $0 < $1 }
        for (_, life, index) in order {
            play(lives[life].records[index], of: life, by: lives[life].node)
        }
    }

    private mutating func play(_ record: NodeRecord, of life: Int, by node: Int) {
        let time = record.microseconds
        switch record.event {
        case .started(let writer, let vector):
            writers[life] = writer
            recording.note(
                start: .init(writer: writer, vector: vector), node: node, life: life, at: time)
            recording.note(durable: vector, node: node, at: time)
        case .turned(let writer, let vector, let settled, let wall):
            writers[life] = writer
            recording.note(wallMilliseconds: wall, at: time)
            recording.note(
                turnOf: .init(writer: writer, vector: vector), node: node, life: life,
                settled: settled, at: time)
        case .stored(let batches):
            let entries = batches.compactMap { try? LogEntry($0) }
            for entry in entries { archive.note(entry) }
            recording.note(stored: entries, by: writers[life], node: node, life: life, at: time)
        case .durable(let vector): recording.note(durable: vector, node: node, at: time)
        case .published(let frame): recording.note(published: frame, node: node)
        case .served(let session, let frame, let before, let after):
            served.append(
                Served(
                    node: node, life: life, session: session, time: time, frame: frame,
                    before: before, after: after, writer: writers[life]))
        }
    }

    /// What nodes took of clients, which are known by their stamps.
    func servings(of clients: [WriterID: Int]) -> [Serving] {
        struct Session: Hashable {
            var life: Int
            var number: UInt64
        }
        var owners: [Session: Int] = [:]
        let messages = served.map { try? FrameReader<ClientMessage>.messages(in: $0.frame) }
        for (served, messages) in zip(served, messages) {
            for case .message(let message) in messages ?? [] {
                guard let writer = message.stamp?.writer, let client = clients[writer]
                else { continue }
                owners[Session(life: served.life, number: served.session)] = client
            }
        }
        var servings: [Serving] = []
        for (served, messages) in zip(served, messages) {
            let session = Session(life: served.life, number: served.session)
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
