import SyncProtocol

// What a replica hears from its peers, and what it answers.

extension Replica {
    mutating func receive(_ frame: [UInt8]) {
        for message in peerMessages(in: frame) {
            switch message {
            case .batch(let bytes): receive(batch: bytes, repaired: false)
            case .beat(let beat): hear(beat)
            case .have(let origin, let batches):
                let before = (held: vector[origin], waiting: inbox.count)
                for bytes in batches { receive(batch: bytes, repaired: true) }
                // What was refused would be sent again and again if it was asked for at once.
                repair.answered(
                    origin,
                    wasUseful: vector[origin] > before.held || inbox.count > before.waiting)
            case .want: counters.malformedFrames += 1
            }
        }
    }

    mutating func answer(_ frame: [UInt8], to member: String) {
        for message in peerMessages(in: frame) {
            guard case .want(_, let origin, let from, let through) = message else {
                counters.malformedFrames += 1
                continue
            }
            // What a stranger does not read would fill the memory.
            guard configuration.peers.contains(member) else {
                counters.strangers += 1
                continue
            }
            turn.urgent.append(
                .read(
                    LogRead(
                        member: member, origin: origin, from: from, through: through,
                        byteLimit: Repair.chunkBytes)))
        }
    }

    mutating func send(_ batches: [[UInt8]], for read: LogRead) {
        let message = PeerMessage.have(origin: read.origin, batches: batches)
        turn.urgent.append(.answer(read.member, message.frame))
    }

    mutating func hear(_ beat: Beat) {
        guard beat.cluster == configuration.cluster, clock.reaches(beat.promise, at: now) else {
            counters.strangers += 1
            return
        }
        switch peers.hear(beat, at: now.elapsedMilliseconds) {
        case .stranger:
            counters.strangers += 1
            return
        case .newWriter: dropClosed()
        case .known, .late: break
        }
        clock.observe(beat.promise)
    }

    mutating func peerMessages(in frame: [UInt8]) -> [PeerMessage] {
        do throws(FrameError) {
            return try FrameReader<PeerMessage>.messages(in: frame).compactMap { received in
                if case .message(let message) = received { return message }
                counters.malformedFrames += 1
                return nil
            }
        } catch {
            counters.malformedFrames += 1
            return []
        }
    }
}
