import DataTree
import ReplicaCore
import Store
import SyncProtocol

// The parts of events and outputs that the hash of a run covers: the kind, the time, the clients
// and nodes concerned, and all bytes. Every 1,024 events, it also covers the states of all nodes.

extension SimulatedRun {
    mutating func traceStates() {
        for node in nodes.indices {
            guard let standing = nodes[node].standing else { continue }
            trace.combine(standing, showing: scenario.isSmall ? nodes[node].shown() : nil)
        }
    }
}

extension TraceHash {
    mutating func combine(_ event: Event, at time: Microseconds) {
        combine(time)
        switch event {
        case .turn(let node, let incarnation): combine(1, node, incarnation)
        case .tick(let node, let incarnation): combine(2, node, incarnation)
        case .published(let frame): combine(3, frame)
        case .asked(let frame): combine(4, frame)
        case .answered(let frame): combine(5, frame)
        case .requested(let connection, let frame): combine(8, connection, frame)
        case .replied(let connection, let frame): combine(9, connection, frame)
        case .nodeLost(let connection): combine(10, connection, 0)
        case .clientLost(let connection): combine(11, connection, 0)
        case .clientActs(let client): combine(12, client, 0)
        case .clientGivesUp(let client, let request): combine(13, client, Int(request))
        case .clientMoves(let client): combine(14, client, 0)
        case .clientTurns(let client): combine(15, client, 0)
        case .clientRecalls(let client): combine(23, client, 0)
        case .scripted(let index): combine(16, index, 0)
        case .flapped(let from, let to, _): combine(17, from, to)
        case .duplicateTurns(let duplicateNode): combine(24, duplicateNode, 0)
        case .quiescence: combine(19, 0, 0)
        case .quiescenceChecked: combine(20, 0, 0)
        case .diskWorked(let node, let incarnation): combine(21, node, incarnation)
        case .interrupted(let node, let incarnation): combine(47, node, incarnation)
        }
    }

    /// Combines the operations of a node, and its tree unless that is large.
    mutating func combine(_ replica: Replica.Standing, showing value: Value?) {
        combine(replica.writer.bits)
        combine(replica.stableTime.bits)
        for entry in replica.vector.entries {
            combine(entry.origin.bits)
            combine(entry.sequence)
        }
        guard let value else { return }
        var writer = MessagePackWriter()
        writer.append(value)
        combine(writer.bytes)
    }

    mutating func combine(_ output: Output, of node: Int) {
        switch output {
        case .store(let turn):
            combine(32, node, Int(turn.number))
            for batch in turn.batches { combine(batch.bytes) }
            for property in turn.properties { combine(property.bytes) }
        case .synchronize: combine(48, node, 0)
        case .publish(let frame, _): combine(33, node, frame)
        case .ask(let member, let frame):
            combine(34, node, frame)
            combine(member)
        case .answer(let member, let frame):
            combine(35, node, frame)
            combine(member)
        case .reply(let session, let frame):
            combine(36, node, frame)
            combine(session.number)
        case .replyLarge(let session, let frame):
            combine(.reply(session, frame.encoded), of: node)
        case .replyMessages(let session, let answers):
            var frame = FrameWriter()
            for answer in answers { frame.append(answer.message) }
            combine(47, node, frame.bytes)
            combine(session.number)
        case .perform(let request): combine(request, of: node)
        case .pauseReading(let session): combine(49, node, Int(clamping: session.number))
        case .resumeReading(let session): combine(50, node, Int(clamping: session.number))
        case .serve: combine(38, node, 0)
        case .free: break
        case .backUp: combine(45, node, 0)
        case .giveUp(let problem, _):
            combine(44, node, 0)
            combine(problem)
        }
    }

    private mutating func combine(_ request: StoreRequest, of node: Int) {
        switch request {
        case .readBatches(let wish):
            combine(37, node, 0)
            combine(wish)
        case .searchLog(let search):
            combine(47, node, 0)
            combine(search.held.total)
        case .writeCheckpoint(let checkpoint):
            combine(39, node, 0)
            combine(checkpoint.vector.total)
        case .continueCheckpoint: combine(40, node, 0)
        case .truncate(let vector):
            combine(40, node, 1)
            combine(vector.total)
        case .readRows(let read):
            combine(41, node, 0)
            combine(read.after)
        case .receive(let rows, _): combine(42, node, rows.count)
        case .install(let head, _, _): combine(43, node, head)
        case .keepOrphans(let origin, let sequence, _):
            combine(46, node, 0)
            combine(origin.bits)
            combine(sequence)
        }
    }

    private mutating func combine(_ kind: UInt64, _ first: Int, _ second: Int) {
        combine(kind)
        combine(first)
        combine(second)
    }

    private mutating func combine(_ kind: UInt64, _ first: Int, _ bytes: [UInt8]) {
        combine(kind)
        combine(first)
        combine(bytes)
    }

    private mutating func combine(_ kind: UInt64, _ frame: PeerFrame) {
        combine(kind, frame.from, frame.bytes)
        combine(frame.to)
    }

    private mutating func combine(_ wish: LogRead) {
        combine(wish.member)
        combine(wish.origin.bits)
        combine(wish.from)
        combine(wish.through)
    }
}
