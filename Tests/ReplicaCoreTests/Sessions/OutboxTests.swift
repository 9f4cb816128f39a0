import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct `The outbox of a turn` {
    private let writes = [Write(path: "a", value: 1)]
    private var change: Listens.Notice {
        // Sessions 1, 2 and 4 have the same number for their listens.
        let numbers: [(UInt64, UInt64)] = [(1, 9), (2, 9), (3, 8), (4, 9), (5, 9)]
        let listeners = numbers.map { session, id in
            Listens.Listener(session: SessionID(number: session), id: id)
        }
        return Listens.Notice(listeners: listeners, writes: writes)
    }

    /// The end of the frames to clients that have been told so much.
    private func end(_ told: UInt64) -> Outbox.End {
        var end = Outbox.End(told: told)
        end.messages.append(NodeMessage.ok(id: told))
        return end
    }

    private func frames(_ outputs: [Output]) -> [SessionID: [UInt8]] {
        var frames: [SessionID: [UInt8]] = [:]
        for case .reply(let session, let frame) in outputs { frames[session] = frame }
        return frames
    }

    private func messages(_ frame: [UInt8]?) throws -> [NodeMessage] {
        try FrameReader<NodeMessage>.messages(in: frame ?? []).compactMap {
            if case .message(let message) = $0 { message } else { nil }
        }
    }

    @Test func `sends each listener the change under its own number, with its own end`() throws {
        var (outbox, slow) = (Outbox(), SlowClients(keptMilliseconds: 1_000))
        outbox.append(.ok(id: 70), to: SessionID(number: 5))
        outbox.append(change, slow: &slow)
        outbox.append(.ok(id: 71), to: SessionID(number: 4))
        outbox.finishFrames { session in session.number == 2 ? nil : end(session.number % 2) }
        let frames = frames(outbox.removeAll())
        let change = NodeMessage.change(listen: 9, writes: writes)
        let others = NodeMessage.change(listen: 8, writes: writes)
        #expect(try messages(frames[SessionID(number: 1)]) == [change, .ok(id: 1)])
        #expect(try messages(frames[SessionID(number: 2)]) == [change])
        #expect(try messages(frames[SessionID(number: 3)]) == [others, .ok(id: 1)])
        #expect(try messages(frames[SessionID(number: 4)]) == [change, .ok(id: 71), .ok(id: 0)])
        #expect(try messages(frames[SessionID(number: 5)]) == [.ok(id: 70), change, .ok(id: 1)])
        #expect(outbox.removeAll().isEmpty)
    }

    @Test func `shares one frame among listeners with equal numbers and ends`() throws {
        var (outbox, slow) = (Outbox(), SlowClients(keptMilliseconds: 1_000))
        outbox.append(change, slow: &slow)
        outbox.finishFrames { end($0.number == 4 ? 2 : 1) }
        let frames = frames(outbox.removeAll())
        let memory = (UInt64(1)...5).map { session in
            frames[SessionID(number: session)]?.withUnsafeBytes { $0.baseAddress }
        }
        #expect(memory[0] == memory[1] && memory[0] == memory[4] && memory[0] != nil)
        #expect(memory[2] != memory[0] && memory[3] != memory[0])
        let change = NodeMessage.change(listen: 9, writes: writes)
        #expect(try messages(frames[SessionID(number: 4)]) == [change, .ok(id: 2)])
    }

    @Test func `sends nothing to a client that closes after the change`() {
        var (outbox, slow) = (Outbox(), SlowClients(keptMilliseconds: 1_000))
        outbox.append(change, slow: &slow)
        outbox.close(SessionID(number: 2))
        outbox.finishFrames { _ in end(1) }
        let frames = frames(outbox.removeAll())
        #expect(frames.keys.map(\.number).sorted() == [1, 3, 4, 5])
    }
}
