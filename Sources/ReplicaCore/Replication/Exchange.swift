import SyncProtocol

// What a replica hears from its peers, and what it answers.

extension Replica {
    /// Takes what a peer published, or what one answered.
    mutating func receive(_ frame: [UInt8], from member: String? = nil) {
        for message in peerMessages(in: frame) {
            switch message {
            case .batch(let bytes): receive(batch: bytes, repaired: false)
            case .heartbeat(let heartbeat): hear(heartbeat)
            case .batches(let origin, let batches):
                let before = (held: vector[origin], waiting: reorderBuffer.count)
                for bytes in batches {
                    counters.repairedBytes += UInt64(bytes.count)
                    receive(batch: bytes, repaired: true)
                }
                // What was refused would be sent again and again if it was asked for at once.
                repair.answered(
                    origin,
                    wasUseful: vector[origin] > before.held || reorderBuffer.count > before.waiting)
            case .requestHeartbeat: turn.isHeartbeatRequested = true
            case .bye(let cluster, let member, let writer, let time):
                if cluster == configuration.cluster {
                    peers.leave(member, writer)
                    coordination.election.release(writer, after: time)
                }
            default:
                if let member {
                    take(message, from: member)
                } else {
                    counters.malformedFrames += 1
                }
            }
        }
    }

    /// Takes what only an answer can be.
    private mutating func take(_ message: PeerMessage, from member: String) {
        switch message {
        case .compacted(let origin, let through):
            repair.answered(origin, wasUseful: false)
            join(at: member, for: origin, through: through)
        case .checkpointChunk(let part): take(part, from: member)
        case .decided(let verdicts):
            for verdict in verdicts { coordination.forwarded.answer(verdict) }
        case .welcome(_, let addressee, _): if addressee == writer { peers.greet(member) }
        case .refuse(_, let addressee, let problem, let fix):
            // It may be for another process that goes by this name; and who has been welcome somewhere
            // is a member, whatever somebody says later.
            guard addressee == writer, !peers.all.contains(where: \.isGreeted) else {
                counters.unknownPeers += 1
                return
            }
            turn.immediate.append(.giveUp(problem: problem, fix: fix))
        default: counters.malformedFrames += 1
        }
    }

    mutating func answer(_ frame: [UInt8], to member: String) {
        for message in peerMessages(in: frame) {
            if case .hello(let hello) = message {
                answer(hello, to: member)
                continue
            }
            // What an unknown peer does not read would fill the memory.
            guard configuration.peers.contains(member) else {
                counters.unknownPeers += 1
                continue
            }
            switch message {
            case .requestBatches(_, let origin, let from, let through):
                turn.immediate.append(
                    .read(
                        LogRead(
                            member: member, origin: origin, from: from, through: through,
                            byteLimit: Repair.chunkBytes)))
            case .propose(let proposals): take(proposals)
            case .requestCheckpoint(_, let checkpoint, let after):
                give(checkpoint: checkpoint, after: after, to: member)
            default: counters.malformedFrames += 1
            }
        }
    }

    mutating func send(_ batches: [[UInt8]], for read: LogRead) {
        let covered = checkpoints.vector[read.origin]
        let isMissing = batches.isEmpty && vector[read.origin] >= read.from
        // What the log has and cannot give, because it is damaged, the next checkpoint will have.
        if isMissing, covered < read.from { checkpoints.want() }
        let isGone = isMissing && covered >= read.from
        let message =
            isGone
            ? PeerMessage.compacted(origin: read.origin, through: covered)
            : PeerMessage.batches(origin: read.origin, batches: batches)
        turn.immediate.append(.answer(read.member, message.frame))
    }

    mutating func hear(_ heartbeat: Heartbeat) {
        guard heartbeat.cluster == configuration.cluster, clock.reaches(heartbeat.time, at: now)
        else {
            counters.unknownPeers += 1
            return
        }
        let last = peers.all.first { $0.member == heartbeat.member }?.heartbeat?.writer
        switch peers.hear(heartbeat, at: now.elapsedMilliseconds) {
        case .unknownPeer:
            counters.unknownPeers += 1
            return
        case .evicted: return
        case .newWriter:
            dropClosed()
            // An incarnation without a past waits to be told that it is known.
            nextHeartbeatMilliseconds = now.elapsedMilliseconds
            if let last, last != heartbeat.writer { coordination.election.release(last) }
        case .late: return follow(late: heartbeat)
        case .known: break
        }
        follow(late: heartbeat)
        // A candidate waits for the votes.
        if coordination.election.hear(heartbeat, at: now.elapsedMilliseconds, mayVote: mayVote) {
            turn.isHeartbeatRequested = true
        }
    }

    /// Learns what holds of a heartbeat however late it comes.
    private mutating func follow(late heartbeat: Heartbeat) {
        clock.observe(heartbeat.time)
        follow(heartbeat)
    }

    mutating func peerMessages(in frame: [UInt8]) -> [PeerMessage] {
        do throws(FrameError) {
            return try FrameReader<PeerMessage>.messages(in: frame).compactMap { received in
                if case .message(let message) = received { return message }
                counters.malformedFrames += 1
                return nil
            }
        } catch {
            if let greeting = PeerMessage.greeting(inForeign: frame) { return [greeting] }
            counters.malformedFrames += 1
            return []
        }
    }
}
