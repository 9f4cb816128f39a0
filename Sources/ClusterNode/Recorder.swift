internal import ClusterConfiguration
internal import EventLoop
internal import Glibc
internal import NodeCore
internal import ReplicaCore
internal import SyncProtocol

/// Records what a node's replica does in a file, for the checks of a soak.
///
/// Each record is written before any output that it describes leaves the node, so that the end of the
/// process loses no record that matters.
final class Recorder {
    private let log: NodeLog
    private var file: Int32
    private var writer = NodeRecordWriter()
    private var stableTime = HybridTime.zero
    private var held: VersionVector
    /// The vectors of turns on their way to the disk, ascending.
    private var waiting: [(turn: UInt64, vector: VersionVector)] = []

    /// Begins a new file, named by the node and the time.
    ///
    /// - Throws: when the file cannot be created.
    init(_ replica: Replica, _ member: String, inFolder folder: String, _ log: NodeLog)
        throws(NodeError)
    {
        self.log = log
        held = replica.vector
        let path = "\(folder)/\(member)-\(Recorder.microseconds)"
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw NodeError(
                problem: "cannot record into \(path): \(String(cString: strerror(errno)))",
                fix: "name an existing folder with --record")
        }
        append(.started(writer: replica.writer, holds: held))
        flush()
    }

    deinit { if file >= 0 { close(file) } }

    private static var microseconds: UInt64 { Loop.monotonicNanoseconds / 1_000 }

    func beginTurn(_ replica: Replica) { stableTime = replica.stableTime }

    /// Records the inputs of a turn, before its outputs are performed.
    func endTurn(_ replica: Replica) {
        guard replica.vector != held else { return }
        held = replica.vector
        append(
            .turned(
                writer: replica.writer, holds: held, stableTime: stableTime,
                wallMilliseconds: Loop.wallClockMilliseconds))
    }

    /// Steps a core, and records each request that its replica serves.
    func step(_ core: inout NodeCore, _ input: NodeInput) -> [NodeOutput] {
        let outputs = core.step(input)
        for step in core.removeSteps() {
            guard let request = Recorder.request(in: step.input) else { continue }
            append(
                .served(
                    session: request.session.number, frame: request.frame,
                    before: step.before.vector, after: step.after.vector))
        }
        return outputs
    }

    /// The requests of an input as a frame: values as the frame that they would have been.
    private static func request(in input: Input) -> (frame: [UInt8], session: SessionID)? {
        switch input {
        case .requested(let frame, let session): return (frame, session)
        case .requestedMessages(let messages, let session):
            var frame = FrameWriter()
            for message in messages { frame.append(message) }
            return (frame.bytes, session)
        default: return nil
        }
    }

    /// Records the outputs of a core, before they are performed.
    func record(_ outputs: [NodeOutput], of replica: Replica) {
        for case .replica(let output, .default) in outputs {
            switch output {
            case .store(let turn):
                waiting.append((turn.number, replica.vector))
                let batches = turn.batches.map(\.bytes)
                if !batches.isEmpty { append(.stored(batches)) }
            case .serve where !replica.isOut: append(.serving)
            case .publish(let frame, _): append(.published(frame))
            default: continue
            }
        }
        flush()
    }

    /// Records that all turns up to one are on the disk.
    func noteStored(turn: UInt64) {
        let count = waiting.prefix { $0.turn <= turn }.count
        guard count > 0 else { return }
        append(.durable(waiting[count - 1].vector))
        waiting.removeFirst(count)
    }

    private func append(_ event: NodeRecord.Event) {
        guard file >= 0 else { return }
        writer.append(NodeRecord(microseconds: Recorder.microseconds, event))
    }

    private func flush() {
        guard file >= 0 else { return }
        let bytes = writer.takeBytes()
        if bytes.isEmpty { return }
        let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count != bytes.count else { return }
        log.write("stops recording: \(String(cString: strerror(errno)))", .warning)
        close(file)
        file = -1
    }
}
