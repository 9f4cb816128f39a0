import DataTree
import GatewayCore
import Store
import SyncProtocol

// Messages as people read them in a trace, each on a part of a line.

extension Array where Element == Write {
    /// The first few writes: `/a 5, /b null and 3 more`.
    var summary: String {
        let shown = prefix(3).map { "\($0.path) \($0.value.summary)" }.joined(separator: ", ")
        return count > 3 ? "\(shown) and \(count - 3) more" : shown
    }
}

/// A batch by its bytes.
struct BatchText: CustomStringConvertible {
    let description: String

    /// The batch with these bytes.
    init(_ bytes: [UInt8]) {
        do throws(FrameError) {
            let batch = try BatchCoding.decode(bytes)
            let writes = batch.operations.flatMap(\.writes)
            description =
                "\(BatchText.place(batch.origin, batch.first, batch.operations.count)): "
                + writes.summary
        } catch {
            description = "a batch that cannot be read"
        }
    }

    /// As in `n1#4` or `n1#4..6`.
    static func place(_ origin: WriterID, _ first: UInt64, _ count: Int) -> String {
        let last = first + UInt64(max(1, count)) - 1
        return "\(origin)#\(first)" + (last > first ? "..\(last)" : "")
    }
}

extension PeerMessage {
    var summary: String {
        switch self {
        case .batch(let bytes): "batch \(BatchText(bytes))"
        case .heartbeat(let heartbeat): heartbeat.summary
        case .requestBatches(_, let origin, let from, let through):
            "requests \(BatchText.place(origin, from, Int(clamping: through - from + 1)))"
        case .batches(_, let batches):
            "batches "
                + batches.map { BatchText($0).description.cut(to: 100) }.joined(separator: "; ")
        case .compacted(let origin, let through):
            "has \(origin)#\(through) in its checkpoint alone"
        case .requestCheckpoint(_, _, let after): "requests rows of a checkpoint after \(after)"
        case .checkpointChunk: "rows of a checkpoint"
        case .hello(let hello): "hello of \(hello.writer)"
        case .welcome(_, let writer, let version): "welcome to \(writer), version \(version)"
        case .refuse(_, let writer, let problem, _): "refuses \(writer): \(problem)"
        case .requestHeartbeat: "requests a heartbeat"
        case .bye(_, _, let writer, _): "bye of \(writer)"
        case .propose(let proposals):
            "proposes "
                + proposals.all.map { "\($0.path) \($0.value.summary)" }
                .joined(separator: ", ")
        case .decided(let verdicts):
            "decided " + verdicts.map { "\($0.id): \($0.outcome)" }.joined(separator: ", ")
        case .disk(let statement):
            "\(statement.writer) makes no operation up to \(statement.floor.milliseconds); its disk is "
                + (statement.isWhole ? "the latest" : "old")
        case .remembered(let memory):
            "remembers \(memory.predecessor.map { "\($0)#\(memory.sequence)" } ?? "nothing"), closed "
                + "\(memory.closed.milliseconds)"
        case .comparison(let comparison):
            "comparison \(comparison.round.number) of \(comparison.round.leader): "
                + comparison.step.summary
        case .requestStatus: "requests the status"
        case .status: "status"
        }
    }
}

extension TreeComparison.Step {
    fileprivate var summary: String {
        switch self {
        case .begin: "begins"
        case .join(let vector): "joins with \(vector.line)"
        case .agree(let vector): "sets \(vector.line)"
        case .announce(let digest, _):
            "has \(String(digest.first, radix: 16)) \(String(digest.second, radix: 16))"
        }
    }
}

extension Heartbeat {
    fileprivate var summary: String {
        let evictions = evictions.map { eviction in
            let subject = eviction.writer?.description ?? "\(eviction.member) as removed"
            return ", \(subject) \(eviction.stage)"
        }
        return "heartbeat of \(writer): holds \(vector.line), closed "
            + "\(closedTimestamp.milliseconds)" + evictions.joined()
    }
}

extension ClientMessage {
    var summary: String {
        let text =
            switch request {
            case .put(let put): "put \(put.path) \(put.value.summary)"
            case .merge(let merge): "merge \(merge.path) \(merge.writes.summary)"
            case .push(let push): "push \(push.path) \(push.value.summary)"
            case .unlisten(let unlisten): "unlisten \(unlisten.listen)"
            case .onDisconnect(let put): "onDisconnect \(put.path) \(put.value.summary)"
            case .onDisconnectMerge(let merge):
                "onDisconnectMerge \(merge.path) \(merge.writes.summary)"
            case .evict(let evict): "evict \(evict.member)"
            case .hello(let hello): "hello, has seen \(hello.seen.line)"
            default: ([request.name] + request.locations.map { "\($0)" }).joined(separator: " ")
            }
        return "\(id): \(text)" + (stamp.map { ", stamp \($0)" } ?? "")
    }
}

extension NodeMessage {
    var summary: String {
        switch self {
        case .ok(let id): "\(id): ok"
        case .acknowledged(let id, let concern): "\(id): ok at \(concern.rawValue)"
        case .pushed(let id, let key): "\(id): pushed \(key)"
        case .value(let id, let value): "\(id): value \(value.summary)"
        case .unindexed(let listen): "listen \(listen): unindexed"
        case .change(let listen, let writes): "listen \(listen): \(writes.summary)"
        case .ranges(let listen, let ranges):
            "listen \(listen): \(ranges.count) ranges, \(ranges.flatMap(\.writes).summary)"
        case .ready(let id, let member, _, _, let holds):
            "\(id): ready at \(member), holds \(holds.line)"
        case .seen(_, let holds): "seen \(holds.line)"
        case .error(let id, let code, let problem, _): "\(id): \(code.rawValue), \(problem)"
        case .ended(let listen, let code, let problem, _):
            "listen \(listen) ended: \(code.rawValue), \(problem)"
        }
    }
}

/// The messages of a frame as lines.
enum FrameText {
    /// A frame between nodes.
    static func peers(_ frame: [UInt8]) -> [String] {
        read(PeerMessage.self, in: frame) { $0.summary }
    }

    /// A frame of a client.
    static func client(_ frame: [UInt8]) -> [String] {
        read(ClientMessage.self, in: frame) { $0.summary }
    }

    /// A frame to a client.
    static func node(_ frame: [UInt8]) -> [String] {
        read(NodeMessage.self, in: frame) { $0.summary }
    }

    /// Bytes on a connection to an HTTP port: what of them can be read.
    static func bytes(_ bytes: [UInt8]) -> [String] {
        let readable = bytes.filter { (0x20..<0x7F).contains($0) }
        return [String(decoding: readable, as: UTF8.self).cut(to: 200)]
    }

    private static func read<Message: FrameMessage>(
        _ type: Message.Type, in frame: [UInt8], _ text: (Message) -> String
    ) -> [String] {
        do throws(FrameError) {
            return try FrameReader<Message>.messages(in: frame).map { received in
                switch received {
                case .message(let message): text(message)
                case .refused(_, let error): "a message that cannot be read: \(error)"
                }
            }
        } catch {
            return ["a frame that cannot be read: \(error)"]
        }
    }
}
