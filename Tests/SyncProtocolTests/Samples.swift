import DataTree
import QueryEngine

@testable import SyncProtocol

/// A random source that repeats itself (SplitMix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

// MARK: - Values

extension Seeded {
    /// A number of any magnitude: as many small ones as large ones.
    mutating func unsigned() -> UInt64 { next() >> UInt64.random(in: 0..<64, using: &self) }

    mutating func text() -> String {
        let pieces = ["", "a", "zoë", "日本", "🎉", "e\u{301}", " ", "x y", "0", "-7", "\u{0}", "\n"]
        // Long ones reach the wider heads.
        if chance(1) {
            return String(repeating: "é", count: [20, 200, 40_000].randomElement(using: &self)!)
        }
        let count = Int.random(in: 0..<8, using: &self)
        return (0..<count).map { _ in pieces.randomElement(using: &self)! }.joined()
    }

    mutating func key() -> Key {
        let pieces = ["a", "b", "-O", "é", "日", "🎉", "\u{FFFD}", "7", "longer", " ", "_"]
        if chance(20) { return Key(unchecked: String(Int32.random(in: -9...99_999, using: &self))) }
        let count = Int.random(in: 1...9, using: &self)
        return Key(unchecked: (0..<count).map { _ in pieces.randomElement(using: &self)! }.joined())
    }

    mutating func path(upTo count: Int = 4) -> Path {
        Path((0..<Int.random(in: 0...count, using: &self)).map { _ in key() })
    }

    mutating func primitive() -> Value {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: .boolean(chance(50))
        case 1...3: .integer(Int64(bitPattern: unsigned()) &* (chance(50) ? -1 : 1))
        case 4: Number.double(Double(Int64(bitPattern: next())) / 1024.5).value
        case 5:
            Number.double(
                [0.1, -0.0, 1e300, .leastNonzeroMagnitude, 3, 1e18].randomElement(using: &self)!
            ).value
        default: .string(text())
        }
    }

    mutating func deferred() -> Value {
        if chance(50) { return .deferred(.timestamp) }
        return .deferred(.increment(chance(50) ? .integer(-3) : .double(0.25)))
    }

    mutating func value(depth: Int = 3) -> Value {
        var value: Value
        switch Int.random(in: 0..<10, using: &self) {
        case 0: return .null
        case 1: value = deferred()
        case 2...5 where depth > 0:
            var children = Children()
            for _ in 0..<Int.random(in: 1...(chance(3) ? 20 : 4), using: &self) {
                let child = self.value(depth: depth - 1)
                if !child.isNull { children[key()] = child }
            }
            value = Value(children)
        default: value = primitive()
        }
        if chance(20) {
            value = value.prioritized(
                [.integer(-1), .string("p"), .deferred(.timestamp)].randomElement(using: &self)!)
        }
        return value
    }
}

// MARK: - Messages

extension Seeded {
    /// Writes at paths of which none contains another.
    mutating func writes() -> [Write] {
        var writes: [Write] = []
        for _ in 0..<Int.random(in: 0...5, using: &self) {
            let path = self.path().appending(key())
            let clashes = writes.contains { $0.path.contains(path) || path.contains($0.path) }
            if !clashes { writes.append(Write(path: path, value: value(depth: 2))) }
        }
        return writes
    }

    mutating func query() -> Query {
        var members = QueryMembers()
        members.index = [".key", ".value", "a/b", "é", nil].randomElement(using: &self)!
        func bound(_ random: inout Seeded) -> Value {
            let text = Value.string(random.key().text)
            return members.index == ".key" || random.chance(50) ? text : .integer(4)
        }
        if chance(40) {
            members.startValue = bound(&self)
            if members.index != ".key" { members.startKey = chance(50) ? key().text : "[MAX_NAME]" }
            members.startIsInclusive = chance(50)
        }
        if chance(40) {
            members.endValue = bound(&self)
            members.endIsInclusive = chance(50)
        }
        if chance(40) {
            members.limit = Int.random(in: 1...300, using: &self)
            members.viewFrom = chance(50) ? "l" : "r"
        }
        return try! Query(members)
    }

    mutating func heldData() -> HeldData? {
        if chance(50) { return nil }
        let value = value().resolvingTimestamps(at: 1)
        if value.containsDeferred { return HeldData(hash: DataHash(text: "")) }
        let ranges = chance(50) ? CompoundHash(of: value) { path, _ in path.count == 1 } : nil
        return HeldData(hash: DataHash(of: value), ranges: ranges)
    }

    mutating func clientMessage() -> ClientMessage {
        let id = unsigned()
        switch Int.random(in: 0..<24, using: &self) {
        case 23: return .why(id: id, path: path(), beyond: vector())
        case 21: return .rulesHistory(id: id)
        case 20:
            return .coverage(id: id, CoverageRequest.Action.allCases.randomElement(using: &self)!)
        case 19: return .rules(id: id)
        case 18:
            return .explain(id: id, statement: text(), source: chance(50) ? text() : nil)
        case 17:
            return .setRules(
                id: id, source: text(),
                replaced: chance(50) ? DataHash(text: chance(50) ? "" : DataHash(of: 1).text) : nil,
                concern: chance(50) ? .majority : nil,
                patienceMilliseconds: chance(50) ? unsigned() : nil, isCheck: chance(50))
        case 15:
            return .children(
                id: id, path: path(), from: chance(50) ? key() : nil,
                limit: chance(50) ? Int.random(in: 1...9_999, using: &self) : nil)
        case 14: return .awaitStable(id: id, milliseconds: unsigned())
        case 13: return .hello(id: id, seen: vector())
        case 12: return .evict(id: id, member: text())
        case 11: return .backup(id: id, name: text())
        case 0:
            return .get(
                id: id, path: path(), query: query(),
                skip: chance(50) ? Int.random(in: 1...9_999, using: &self) : 0)
        case 1:
            let condition =
                chance(50)
                ? Condition(
                    DataHash(of: primitive()), isLocal: chance(50),
                    patienceMilliseconds: chance(50) ? unsigned() : nil) : nil
            return .put(
                id: id, path: path(), value: value(), condition: condition,
                concern: WriteConcern.allCases.randomElement(using: &self),
                stamp: chance(50) ? stamp() : nil)
        case 22 where chance(50):
            return .put(
                id: id, path: path(), value: value(), stamp: stamp(), now: unsigned() >> 17)
        case 2: return .put(id: id, path: path().appending(.priority), value: .integer(3))
        case 3:
            return .merge(
                id: id, path: path(), writes: writes(),
                concern: chance(50) ? .majority : nil, stamp: chance(50) ? stamp() : nil)
        case 22: return .writes(id: id, beyond: vector())
        case 4: return .push(id: id, path: path(), value: value())
        case 5:
            return .listen(
                id: id, path: path(), query: query(), held: heldData(), demandsIndex: chance(50))
        case 6: return .unlisten(id: id, listen: unsigned())
        case 7: return .ping(id: id)
        case 8: return .onDisconnect(id: id, path: path(), value: value())
        case 9: return .onDisconnectMerge(id: id, path: path(), writes: writes())
        case 10: return .onDisconnectCancel(id: id, path: path())
        default: return .status(id: id)
        }
    }

    mutating func nodeMessage() -> NodeMessage {
        let id = unsigned()
        let codes = ErrorCode.allCases.filter { $0.encoded == $0 }
        let code = codes.randomElement(using: &self)!
        switch Int.random(in: 0..<11, using: &self) {
        case 10: return .unindexed(listen: id)
        case 8:
            return .ready(
                id: id, member: text(), wallMilliseconds: unsigned() >> 17, time: time(),
                holds: vector())
        case 9: return .seen(time: time(), holds: vector())
        case 6: return .acknowledged(id: id, concern: .all)
        case 0: return .ok(id: id)
        case 1: return .pushed(id: id, key: key())
        case 2: return .value(id: id, value: value())
        case 3: return .change(listen: id, writes: writes())
        case 4:
            let ranges = (0..<Int.random(in: 0...3, using: &self)).map { _ in
                ChangedRange(
                    LeafRange(
                        after: chance(50) ? path() : nil, through: chance(50) ? path() : nil),
                    writes: writes())
            }
            return .ranges(listen: id, ranges: ranges)
        case 5: return .error(id: id, code: code, problem: text(), fix: text())
        default: return .ended(listen: id, code: code, problem: text(), fix: text())
        }
    }

    mutating func vector() -> VersionVector {
        var vector = VersionVector()
        for _ in 0..<Int.random(in: 0...6, using: &self) {
            vector[WriterID(bits: unsigned())] = unsigned() >> 17
        }
        return vector
    }

    mutating func time() -> HybridTime { HybridTime(bits: next() >> 1) }

    mutating func stamp() -> Stamp { Stamp(time: time(), writer: WriterID(bits: unsigned())) }

    /// One of few, so that some come twice in a row.
    mutating func attribution() -> Attribution? {
        if chance(25) { return nil }
        let user = chance(70) ? ["ada", "é", "e\u{301}", ""].randomElement(using: &self)! : nil
        return Attribution(user: user, rules: chance(50) ? "one" : "another")
    }

    mutating func batch() -> Batch {
        let origin = WriterID(bits: next())
        let client = WriterID(bits: next())
        var time = time()
        let hasUsers = chance(60)
        var attribution: Attribution?
        let operations = (0..<Int.random(in: 1...20, using: &self)).map { _ in
            if hasUsers, chance(50) { attribution = self.attribution() }
            time = chance(20) ? self.time() : time.successor
            let writer = [origin, client, WriterID(bits: unsigned())][
                Int.random(in: 0..<3, using: &self)]
            return Operation(
                stamp: Stamp(time: time, writer: writer), writes: writes(),
                alias: chance(20) ? stamp() : nil, term: chance(50) ? next() >> 16 : nil,
                attribution: attribution)
        }
        return Batch(
            origin: origin, first: 1 + unsigned() >> 17, wallMilliseconds: unsigned() >> 17,
            dependencies: vector(), operations: operations)
    }

    private mutating func evictions() -> [Eviction] {
        guard chance(50) else { return [] }
        return [
            Eviction(member: text(), writer: WriterID(bits: next())),
            Eviction(member: text(), subject: .allUntilRemoval(next()), stage: .over),
        ]
    }

    private mutating func diskStatement() -> DiskStatement {
        DiskStatement(
            member: text(), writer: WriterID(bits: next()), floor: time(), isWhole: chance(50))
    }

    private mutating func comparison() -> TreeComparison {
        let step: TreeComparison.Step =
            switch next() % 4 {
            case 0: .begin
            case 1: .join(vector())
            case 2: .agree(vector())
            default: .announce(TreeDigest(next(), next()), at: next())
            }
        return TreeComparison(
            cluster: text(), member: text(), writer: WriterID(bits: next()),
            round: .init(of: WriterID(bits: next()), next()), step)
    }

    mutating func peerMessage() -> PeerMessage {
        let from = 1 + unsigned() >> 17
        switch Int.random(in: 0..<19, using: &self) {
        case 18: return .requestStatus(member: text())
        case 17: return .status(member: text(), status: .object(named: [("lag", primitive())]))
        case 16: return .comparison(comparison())
        case 15:
            return .disk(diskStatement())
        case 14:
            return .remembered(
                DiskMemory(
                    member: text(), writer: WriterID(bits: next()), answering: diskStatement(),
                    predecessor: chance(50) ? WriterID(bits: next()) : nil, sequence: next(),
                    closed: time(), stable: time(), hasServed: chance(50), isWhole: chance(50)))
        case 13: return .decided((0..<next() % 3).map { _ in verdict() })
        case 12: return .propose(proposals())
        case 11: return .requestHeartbeat
        case 4: return .compacted(origin: WriterID(bits: next()), through: from)
        case 5: return .requestCheckpoint(member: text(), checkpoint: next(), after: next())
        case 6:
            let rows = (0..<Int.random(in: 0...3, using: &self)).map { _ in
                CheckpointRow(id: next(), bytes: Array(text().utf8))
            }
            return .checkpointChunk(
                CheckpointChunk(
                    head: Array(text().utf8), after: next(), rows: rows,
                    isLast: Bool.random(using: &self)), evictions: evictions())
        case 7:
            return .hello(
                Hello(
                    cluster: text(), member: text(), writer: WriterID(bits: next()),
                    endpoint: text(),
                    members: Set((0..<next() % 4).map { _ in text() }).sorted().map {
                        Hello.Member($0, at: text())
                    }))
        case 8: return .welcome(member: text(), to: WriterID(bits: next()), version: next())
        case 9:
            return .refuse(
                member: text(), to: WriterID(bits: next()), problem: text(), fix: text())
        case 10:
            return .bye(
                cluster: text(), member: text(), writer: WriterID(bits: next()), time: time())
        case 0: return .batch(BatchCoding.encode(batch()))
        case 1:
            return .heartbeat(
                Heartbeat(
                    cluster: text(), member: "n1", writer: WriterID(bits: next()),
                    vector: vector(), time: time(), closedTimestamp: time(),
                    writers: (0..<Int.random(in: 0...3, using: &self)).map { _ in
                        WriterID(bits: next())
                    },
                    evictions: evictions(),
                    wallMilliseconds: unsigned() >> 17, lease: chance(30) ? nil : lease(),
                    folding: chance(50)
                        ? nil
                        : .init(.init(count: next(), hash: next()), areLeftOut: chance(50))))
        case 2:
            return .requestBatches(
                member: text(), origin: WriterID(bits: next()), from: from, through: from + 9)
        default:
            return .batches(
                origin: WriterID(bits: next()),
                batches: (0..<Int.random(in: 0...3, using: &self)).map { _ in
                    BatchCoding.encode(batch())
                })
        }
    }
}

// MARK: - Transactions

extension Seeded {
    mutating func lease() -> Lease {
        Lease(
            term: next() >> 16, holder: WriterID(bits: next()), renewedMilliseconds: next() >> 16,
            ceiling: time(), formerCeiling: time(),
            stage: [.given, .asking, .deciding].randomElement(using: &self)!)
    }

    mutating func proposals() -> Proposals {
        let all = (0..<next() % 3).map { _ in
            Proposal(
                id: stamp(), path: path(), value: value(), condition: DataHash(of: primitive()),
                concern: chance(50) ? .majority : .all, attribution: attribution())
        }
        return Proposals(
            member: text(), coordinator: WriterID(bits: next()), seen: vector(), all: all)
    }

    mutating func verdict() -> TransactionDecision {
        let outcomes: [TransactionDecision.Outcome] = [
            .done(.majority), .done(.all), .changed, .forgotten,
            .invalid(problem: text(), fix: text()),
        ]
        return TransactionDecision(stamp(), outcomes.randomElement(using: &self)!, basis: vector())
    }
}

// MARK: - Bytes

/// Decodes a value that fills the bytes.
func decodeValue(_ bytes: [UInt8]) throws(FrameError) -> Value {
    try bytes.withUnsafeBytes { bytes in
        Result { () throws(FrameError) in
            var reader = MessagePackReader(bytes)
            let value = try reader.value()
            if !reader.isAtEnd {
                throw FrameError.expected("the end", found: "more", at: reader.position)
            }
            return value
        }
    }.get()
}

func encoded(_ value: Value) -> [UInt8] {
    var writer = MessagePackWriter()
    writer.append(value)
    return writer.bytes
}
