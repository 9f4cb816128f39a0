import DataTree

@testable import SyncProtocol

// Frames of peers.

extension HostileFrames {
    mutating func peerMessage() -> [UInt8] {
        switch number(below: 7) {
        case 0: PeerMessage.heartbeat(heartbeat()).frame
        case 3: acquaintance().frame
        case 1:
            PeerMessage.requestBatches(
                member: members[number(below: members.count)], origin: writer(), from: 1,
                through: sequence() + 1
            ).frame
        case 2:
            PeerMessage.batches(
                origin: writer(), batches: (0..<number(below: 4)).map { _ in batch() }
            )
            .frame
        default: PeerMessage.batch(batch()).frame
        }
    }

    /// What else nodes say to each other.
    private mutating func acquaintance() -> PeerMessage {
        let member = members[number(below: members.count)]
        switch number(below: 12) {
        case 8: return .propose(proposals())
        case 9: return .decided(verdicts())
        case 0: return .compacted(origin: writer(), through: sequence())
        case 1: return .requestCheckpoint(member: member, checkpoint: sequence(), after: sequence())
        case 2:
            let rows = (0..<number(below: 4)).map { _ in
                CheckpointRow(id: sequence(), bytes: noise())
            }
            return .checkpointChunk(
                CheckpointChunk(
                    head: noise(), after: chance(50) ? 0 : sequence(), rows: rows,
                    isLast: chance(50)), evictions: chance(90) ? [] : [eviction()])
        case 3:
            return .hello(
                Hello(
                    cluster: clusters[number(below: 2)], member: member, writer: writer(),
                    endpoint: "tcp://127.0.0.1:\(number(below: 70_000))",
                    members: members.map { .init($0, at: "tcp://\($0)") },
                    oldestVersion: sequence(), newestVersion: sequence()))
        case 4: return .welcome(member: member, to: writer(), version: sequence())
        case 5:
            return .bye(
                cluster: clusters[number(below: 2)], member: member, writer: writer(), time: time())
        case 6: return .refuse(member: member, to: writer(), problem: "you are nobody", fix: "go")
        case 7:
            return .disk(
                DiskStatement(
                    member: member, writer: unknownWriter, floor: time(), isWhole: chance(50)))
        case 10:
            // A member can have a process distrust its disk, and so can a stranger where nodes have no keys.
            let statement = DiskStatement(
                member: member, writer: unknownWriter, floor: time(), isWhole: chance(50))
            return .remembered(
                DiskMemory(
                    member: member, writer: writer(), answering: statement,
                    predecessor: chance(50) ? writer() : nil, sequence: sequence(), closed: time(),
                    stable: time(), hasServed: chance(50), isWhole: chance(50)))
        default: return .requestHeartbeat
        }
    }

    private mutating func heartbeat() -> Heartbeat {
        Heartbeat(
            cluster: clusters[number(below: 2)], member: members[number(below: members.count)],
            writer: writer(), vector: vector(), time: time(), closedTimestamp: time(),
            writers: (0..<number(below: 4)).map { _ in self.writer() },
            evictions: chance(90) ? [] : [eviction()],
            wallMilliseconds: sequence() >> 1, lease: chance(30) ? nil : lease())
    }

    /// A vote that takes nobody's place: of a term that is over, or told by somebody else.
    private mutating func lease() -> Lease {
        Lease(
            term: UInt64(number(below: 2)), holder: writer(), renewedMilliseconds: sequence(),
            ceiling: time(), formerCeiling: time(), formerTerm: sequence(),
            stage: chance(50) ? .given : .deciding)
    }

    private mutating func proposals() -> Proposals {
        let all = (0..<number(below: 3)).map { _ in
            Proposal(
                id: Stamp(time: time(), writer: writer()), path: path(), value: value(depth: 1),
                condition: DataHash(text: "none that fits"))
        }
        return Proposals(
            member: members[number(below: members.count)], coordinator: writer(), seen: vector(),
            all: all)
    }

    private mutating func verdicts() -> [TransactionDecision] {
        (0..<number(below: 3)).map { _ in
            TransactionDecision(Stamp(time: time(), writer: writer()), .changed, basis: vector())
        }
    }

    mutating func condition() -> Condition? {
        hash().map {
            Condition(
                $0, isLocal: chance(50),
                patienceMilliseconds: chance(50) ? UInt64(number(below: 2_000)) : nil)
        }
    }

    /// Of no member, or of an incarnation that no member had: any other would be carried out.
    private mutating func eviction() -> Eviction {
        chance(50)
            ? Eviction(member: "nobody", writer: writer())
            : Eviction(
                member: members[number(below: members.count)], writer: WriterID(bits: random.next())
            )
    }

    /// A batch with a right checksum, whatever is in it.
    ///
    /// One that goes on where the log of an origin ends is taken, as its origin says so; so these are
    /// the first of an origin that is new, or are held, or come after a gap that never closes.
    mutating func batch() -> [UInt8] {
        let isNew = chance(50)
        let origin = isNew ? WriterID(bits: random.next()) : writer()
        let first =
            isNew ? 1 : chance(50) ? (1 << 47) + sequence() >> 1 : 1 + UInt64(number(below: 9))
        var time = time()
        let operations = (0...number(below: 4)).map { _ in
            time = chance(80) ? HybridTime(bits: time.bits &+ 1) : self.time()
            let writer = chance(80) ? origin : self.writer()
            let writes = (0..<number(below: 4)).map { _ in
                Write(path: path(), value: value(depth: 0))
            }
            return Operation(stamp: Stamp(time: time, writer: writer), writes: writes)
        }
        let bytes = BatchCoding.encode(
            Batch(
                origin: origin, first: first, wallMilliseconds: sequence() >> 1,
                dependencies: chance(70) ? VersionVector() : vector(), operations: operations))
        if chance(70) { return bytes }
        let content = mutation(of: Array(bytes.dropLast(4)))
        let checksum = content.withUnsafeBytes { Checksum.crc32c(of: $0) }
        return content + withUnsafeBytes(of: checksum.littleEndian) { Array($0) }
    }

    private mutating func vector() -> VersionVector {
        var vector = VersionVector()
        let count = chance(98) ? number(below: 4) : number(below: 5_000)
        var bits = UInt64(number(below: 1_000))
        for _ in 0..<count {
            bits += 1 + UInt64(number(below: 1_000))
            vector[WriterID(bits: bits)] = sequence()
        }
        if chance(30) { vector[writer()] = sequence() }
        return vector
    }

    private var unknownWriter: WriterID { mutating get { WriterID(bits: random.next()) } }

    private mutating func writer() -> WriterID {
        chance(90) ? writers[number(below: writers.count)] : WriterID(bits: random.next())
    }

    private mutating func sequence() -> UInt64 {
        switch number(below: 4) {
        case 0: UInt64(number(below: 100))
        case 1: 1 << 48
        case 2: (1 << 48) - 1
        default: random.next() >> 16
        }
    }

    private mutating func time() -> HybridTime {
        switch number(below: 4) {
        case 0: HybridTime(bits: 1)
        case 1: HybridTime(bits: 1 << 63)
        case 2: HybridTime(milliseconds: 1_800_000_000_000)
        default: HybridTime(bits: random.next() >> 1)
        }
    }
}
